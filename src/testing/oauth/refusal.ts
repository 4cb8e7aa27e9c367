// RFC 6749, section 5.2
export interface Refusal {
  readonly error: string;
  readonly error_description: string;
}

export function refuse(error: string, description: string): Refusal {
  return { error, error_description: description };
}
