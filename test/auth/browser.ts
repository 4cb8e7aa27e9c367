import { expect } from 'vitest';

export interface Browsing {
  /** Whether the browser requests the callback URL; when false, `browse` only returns that URL. Default: true. */
  readonly visits?: boolean;
  /** What the user types into a form field that has no value. */
  readonly userCode?: string;
}

/** The last page of a browser. */
export interface Arrival {
  readonly url: string;
  readonly status: number;
  readonly page: string;
}

/**
 * A browser whose user agrees to everything: follows redirects with cookies and submits every form unchanged, until a
 * redirect leads to another origin, which is the callback.
 */
export async function browse(start: string, { visits = true, userCode = '' }: Browsing = {}): Promise<Arrival> {
  const { origin } = new URL(start);
  const cookies = new Map<string, string>();
  let next: { readonly url: string; readonly form?: URLSearchParams } = { url: start };
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const { url, form } = next;
    const isAway = new URL(url).origin !== origin;
    if (isAway && !visits) return { url, status: 0, page: '' };
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: isAway ? '' : [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie);
    const page = await response.text();
    const location = response.headers.get('location');
    if (isAway) return { url, status: response.status, page };
    const sent = location === null ? toForm(page, url, userCode) : { url: new URL(location, url).href };
    if (!sent) return { url, status: response.status, page };
    next = sent;
  }
  return expect.fail(`a browser went in circles at ${origin}`);
}

const MOST_STEPS = 20;

function keep(cookies: Map<string, string>, cookie: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? [];
  if (value === '') cookies.delete(name);
  else cookies.set(name, value);
}

/** The request that submits the page's only form; undefined when the page has none. */
function toForm(page: string, url: string, userCode: string): { url: string; form: URLSearchParams } | undefined {
  const action = /<form[^>]*\saction="([^"]*)"/u.exec(page)?.[1];
  if (action === undefined) return undefined;
  const form = new URLSearchParams();
  for (const [input] of page.matchAll(/<input[^>]*>/gu)) {
    const name = /\sname="([^"]*)"/u.exec(input)?.[1];
    if (name !== undefined) form.set(name, /\svalue="([^"]*)"/u.exec(input)?.[1] ?? userCode);
  }
  return { url: new URL(action.replaceAll('&amp;', '&'), url).href, form };
}
