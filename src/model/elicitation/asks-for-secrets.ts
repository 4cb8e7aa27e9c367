// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#safe-url-handling: a form must not ask for secrets.
import { hasMixedScript } from '../text/mixed-script.js';
import type { Field, Form } from './form.js';

/**
 * The names of the fields that ask for a password, key, token, PIN, card or identity number. It only reads words: it
 * catches honest mistakes and clumsy lies. Booleans and choices from a list cannot give a secret away.
 */
export function asksForSecrets({ fields }: Form, message: string): readonly string[] {
  const open = fields.filter(({ kind }) => kind === 'text' || kind === 'number');
  const flagged = open.filter(isSecret);
  // For a message like "Enter your password" above a field called "value".
  const words = toWords(message);
  if (flagged.length === 0 && (isAskedFor(words) || BARE.test(words.replace(TAIL, '')))) {
    return open.map(({ name }) => name);
  }
  return flagged.map(({ name }) => name);
}

function isSecret({ name, label, about = '', schema }: Field): boolean {
  // Form generators hide what is typed into such fields.
  if (schema['format'] === 'password' || schema['writeOnly'] === true) return true;
  const title = typeof schema['title'] === 'string' ? label : '';
  return isNamed(toWords(name)) || [title, about].map(toWords).some((words) => isNamed(words) || isAskedFor(words));
}

/** Whether a short text names a secret: it ends with a secret's name, or contains a word that means nothing else. */
function isNamed(words: string): boolean {
  if (words.length > NAME_LENGTH) return false;
  const short = words.replace(TAIL, '');
  return LABEL.test(short) && !HARMLESS.test(words) && !HARMLESS.test(short) && !NEGATION.test(words);
}

/** Whether a sentence asks for a secret. */
function isAskedFor(words: string): boolean {
  for (const { index, 0: asked } of words.matchAll(ASKING)) {
    const before = words.slice(Math.max(index - NEGATION_REACH, 0), index);
    if (!NEGATED.test(before) && !ABOUT_IT.test(asked)) return true;
  }
  return ANYWHERE.test(words);
}

/** Lower-case words: `apiKey`, `API_KEY` and "API-Key" become the same two. Lookalike letters become Latin. */
function toWords(text: string): string {
  const plain = text.slice(0, READ_LIMIT).normalize('NFKC');
  const latin = hasMixedScript(plain)
    ? plain.replaceAll(/[^\0-\x7f]/gu, (letter) => LOOKALIKE.get(letter) ?? letter)
    : plain;
  return latin
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/['’]/gu, "'")
    .replaceAll(/[^\p{L}\p{N}\p{M}'.!?;,]+/gu, ' ')
    .replaceAll(/\b(?:\p{L} ){3,}\p{L}\b/gu, (spaced) => spaced.replaceAll(' ', ''))
    .trim();
}

const READ_LIMIT = 2_000;
const NAME_LENGTH = 80;
const NEGATION_REACH = 30;

// Words that name a secret themselves.
const PASSWORD =
  "pass ?words?|passwd|(?:db|database|user|smtp|ftp|admin|root|login|auth) pass|pass ?phrase|pass ?code|pwd|passwort|kennwort|mot de passe|contrase[nñ]a|senha|wachtwoord|parola d'ordine|l[oö]senord|has[lł]o|heslo|salasana|adgangskode|passord|jelsz[oó]|[sş]ifre|mật khẩu|пароль|пароля|סיסמה|סיסמא";
const KEY =
  '(?:api|secret|private|openai|anthropic|stripe|aws|gpg|access|signing|encryption|ssh|master|recovery|decryption|service account|account) ?keys?|api ?schl[uü]ssel|privater schl[uü]ssel|cl[eé] (?:api|priv[eé]e|secr[eè]te)|clave (?:api|privada|secreta)|chave (?:api|privada|secreta)|client ?secret|app ?secret|shared ?secret|webhook ?secret|secret';
const TOKEN =
  '(?:api|access|auth|authentication|authorization|bearer|refresh|session|personal|security|id|oauth|github|gitlab|slack|bot|login|secret|service) ?tokens?|jwt|session ?cookie|credentials|zugangsdaten|anmeldedaten|identifiants de connexion|credenciales';
const NUMBER =
  '(?:credit|debit|bank|payment) ?card|(?:card|cc) ?(?:number|no|nr)|kreditkarten?(?:nummer)?|num[eé]ro de carte|carte (?:bancaire|bleue|de cr[eé]dit)|n[uú]mero de tarjeta|tarjeta de cr[eé]dito|cart[aã]o de cr[eé]dito|cvv2?|cvc2?|card (?:verification|security) (?:code|value|number)|ssn|social security(?: (?:number|no))?|sozialversicherungsnummer|num[eé]ro de s[eé]curit[eé] sociale|national insurance number';
const PHRASE =
  '(?:seed|recovery|mnemonic|wallet|backup|secret recovery) (?:phrase|words)|mnemonic|(?:backup|recovery) codes?|t?otp|(?:2fa|mfa|two factor|authenticator) code|(?:verification|sms) code|one time (?:code|pin)|pin (?:code|number)|(?:card|sim|bank|atm|account|security|current|new) pin';
const SECRET = `${PASSWORD}|${KEY}|${TOKEN}|${NUMBER}|${PHRASE}`;
/** Languages without spaces between words: a match anywhere counts. */
const UNSPACED =
  '密码|密碼|パスワード|暗証番号|비밀번호|รหัสผ่าน|पासवर्ड|كلمة المرور|كلمة السر|口令|密钥|信用卡号|クレジットカード番号|私钥|助记词';
const LETTER = '[\\p{L}\\p{N}\\p{M}]';

/** A name ends with what it names: "password" is a secret, "password policy" is not. */
const LABEL = new RegExp(
  `(?:^|[^\\p{L}\\p{N}\\p{M}])(?:${SECRET}|tokens?)[.!?;, ]*$|^(?:your |the |enter |my |\\d digit )*pin[.!?;, ]*$|${UNSPACED}`,
  'u',
);
/** Endings that do not change what a name means. */
const TAIL =
  /[ ,]*(?:again|confirm(?:ation)?|repeat(?:ed)?|value|here|below|input|field|\d{1,2}|please|required|optional|pem|base64|classic|actuel|actual|nueva|nova|(?:for|of|to|you|from|at least|min(?:imum|\.)?|für|pour|para|от|для) .{1,40})[.!?;, ]*$/u;
/** Names with the same ending that name nothing secret. */
const HARMLESS =
  /(?:^| )(?:no|max|min|maximum|minimum|total|output|input|prompt|completion|used|number of|count of|how many|page|next page|next|continuation|cursor|sync|cancell?ation|progress|stop|crypto|native|payment|gas|base|quote|primary|foreign|public|partition|sort|shortcut|hash|reset|forgot|forgotten|without|allow|require|show|hide|change|rotate|has|is) (?:.{0,20} )?(?:tokens?|keys?|pass ?words?|secret)[.!?;, ]*$|^tokens$/u;
/** A sentence that asks for a secret: a verb, a few words, the secret, and no word after it that alters the meaning. */
const VERB =
  "(?:enter|re ?enter|type|provide|paste|supply|input|give|share|submit|confirm|insert|fill in|specify|set|choose|create|need|needs|require|requires|want|what is|what's|eingeben|geben sie|gib|saisissez|entrez|introduzca|ingrese|escribe|digite|inserisci|voer|wpisz|введите)";
const AFTER =
  '(?! ?(?:polic|length|strength|hint|manager|reset|rules?|requirements?|expir|age\\b|limits?|count|budget|size|types?|name|symbol|address|contract|rotation|protect|format|file|path|url|id\\b|page|link|field|generat|usage|per\\b|is not|are not|will not|hash|vault|store|storage|prompt))';
const ASKING = new RegExp(
  `(?<!${LETTER})${VERB}(?!${LETTER})[^.!?;]{0,50}?(?<!${LETTER})(?:${SECRET}|token|pin)(?!${LETTER})${AFTER}`,
  'gu',
);
const ANYWHERE = new RegExp(
  `${UNSPACED}|(?<!${LETTER})(?:passwort|kennwort|pin|api ?schl[uü]ssel|kreditkartennummer) (?:bitte )?(?:eingeben|ein)(?!${LETTER})`,
  'u',
);
/** A message that consists of a secret's name: "Your password?" */
const BARE = new RegExp(
  `^(?:(?:please|enter|your|the|my|new|current|user ?name|e ?mail|login|and|log in with|sign in with|wie lautet ihr|cuál es tu|quel est votre) )*(?:${SECRET}|token|pin)[.!?;, ]*$`,
  'u',
);
/** Words between the verb and the secret that show that something else is asked for. */
const ABOUT_IT =
  / (?:not|never|without|no|(?:name|id|title|label|description|kind|type|number|count|owner) (?:of|for)|reset|rotate|revoke|delete) /u;
const NEGATION = /(?:^| )(?:not|never|don't|nicht|nunca)(?: |$)/u;
const NEGATED = /(?:^| )(?:not|never|don't|without|no|nicht|ne|nunca|non|не)(?: \S+){0,2} ?$/u;

/** Letters of other alphabets, each after the Latin letter that it looks like. */
const LOOKALIKE: ReadonlyMap<string, string> = new Map(
  'aаα eеε oоοօ pрρ cс yу xх iіι sѕ jј kкκ tтτ nпո mм hнһ bв dԁ wԝѡ vνѵ uυս qԛ lӏ gɡ AАΑ EЕ OОΟ PРΡ CС TТΤ KКΚ MМ HН BВ IІΙ SЅ'
    .split(' ')
    .flatMap(([ours = '', ...others]) => others.map((other): [string, string] => [other, ours])),
);
