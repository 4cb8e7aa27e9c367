// RFC 6749, section 5.2
export interface OAuthErrorBody {
  readonly error: string;
  readonly error_description: string;
}

export function refuse(error: string, description: string): OAuthErrorBody {
  return { error, error_description: description };
}
