import { expect, test } from 'vitest';
import { asksForSecrets } from './asks-for-secrets.js';
import { parseForm } from './parse-form.js';
import { isSteep } from '../../../test/cpu-time.js';

interface Asked {
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly message?: string;
  readonly type?: string;
}

function check(
  { name = 'value', message = 'Please fill in', type = 'string', ...rest }: Asked,
  expected: boolean,
): void {
  const form = parseForm({ type: 'object', properties: { [name]: { type, ...rest } } });
  if (form.kind !== 'form') throw new Error(form.reason);
  expect(asksForSecrets(form, message)).toEqual(expected ? [name] : []);
}

const words = (list: string): string[] => list.trim().split(/\s*[,\n]\s*/u);

const SECRET_NAMES = words(`
  password, userPassword, PASSWORD, db_password, passwd, pwd, passphrase, new-password, password2
  pass word, apiKey, API_KEY, apikey, openaiApiKey, secret, clientSecret, private_key, accessKey, sshKey
  token, accessToken, GITHUB_TOKEN, authToken, bearer_token, refreshToken, jwt, credentials, pin, PIN
  pinCode, cardPin, cardNumber, creditCard, credit_card_number, cvv, cvc, ssn, socialSecurityNumber
  seedPhrase, recovery_phrase, mnemonic, otp, backupCode, dbPass, smtp_pass, privateKeyPem, OPENAI_KEY, ccNumber
  smsCode
`);

test.for(SECRET_NAMES)('a field that is called %s asks for a secret', (name) => check({ name }, true));

const SECRET_TITLES = words(`
  Password, Your password, Password (again), Confirm password, API key, Your OpenAI API key
  Password for the database, Personal access token, Your PIN, Card number, Credit card
  Social Security Number, Seed phrase, One-time code, Passwort, Kennwort, Mot de passe, Contraseña, Senha
  Wachtwoord, Hasło, Пароль, 密码, パスワード, 비밀번호, Kreditkartennummer, Numéro de carte, Tarjeta de crédito
  Clé API, API-Schlüssel, Sozialversicherungsnummer, p\u0430ssword, Раsswоrd, p a s s w o r d, ｐａｓｓｗｏｒｄ
  pass\u200bword, Password (min. 8 characters), Password - at least 8 characters, The password you use for GitHub
  Personal Access Token (classic), Your 4-digit PIN, Verification code, Пароль от почты, Mot de passe actuel
  Passwort eingeben
`);

test.for(SECRET_TITLES)('a field whose title is %s asks for a secret', (title) => check({ title }, true));

const HARMLESS_NAMES = words(`
  tokensLimit, maxTokens, tokens, token_count, outputTokens, pageToken, nextPageToken, continuationToken
  tokenSymbol, primaryKey, foreign_key, key, publicKey, keyboard, sortKey, keywords, monkey, tokenizer
  secretary, pinned, pinMessage, spin, shipping, opinion, passport, compass, passwordPolicy, passwordLength
  passengers, cardTitle, businessCard, discardNumber, postcard, session, assnName, seed, phrase, name
  email, colour, iban
`);

test.for(HARMLESS_NAMES)('a field that is called %s asks for nothing secret', (name) => check({ name }, false));

const HARMLESS_TEXTS: readonly Asked[] = [
  { title: 'Maximum number of tokens' },
  { title: 'Primary key' },
  { title: 'Password policy' },
  { title: 'Number of tokens' },
  { title: 'Maximum number of tokens for the answer' },
  { title: 'Boarding pass' },
  { title: 'Jira project key' },
  { message: 'Enter your name (not your password)' },
  { message: 'Enter the name of the secret to rotate' },
  { message: 'Enter a description of the token' },
  { message: 'Do you want to reset your password?' },
  { message: 'Delete this API key?' },
  { title: 'Name of the key' },
  { description: 'Never enter your password here.' },
  { description: 'Tells how many tokens the answer may have' },
  { description: 'Used by the password manager to find the entry' },
  { description: 'Do not type a password' },
  { description: 'The pin on the map to zoom to' },
  { message: 'Your token limit is reached. Which plan do you want?' },
  { message: 'Your password has expired. What is your name?' },
  { message: 'Please enter the password policy' },
  { message: 'Choose a primary key for the table' },
  { message: 'Pick a colour' },
  { name: 'resetPassword', type: 'boolean', title: 'Reset password' },
  { name: 'token', type: 'boolean' },
];

test.for(HARMLESS_TEXTS)('%o asks for nothing secret', (asked) => check(asked, false));

const SECRET_TEXTS: readonly Asked[] = [
  { description: 'Your password' },
  { description: 'Enter the API key from the dashboard' },
  { description: 'Please provide your social security number.' },
  { message: 'Please enter your password' },
  { message: 'To go on, paste your GitHub token' },
  { message: 'What is your PIN?' },
  { message: 'We need your credit card number to continue' },
  { message: 'Bitte Passwort eingeben' },
  { message: '请输入密码' },
  { name: 'code', type: 'integer', title: 'PIN' },
  { message: 'Password:' },
  { message: 'Your password please' },
  { message: 'Please log in with your username and password' },
  { message: 'Wie lautet Ihr Passwort?' },
  { message: '¿Cuál es tu contraseña?' },
];

test.for(SECRET_TEXTS)('%o asks for a secret', (asked) => check(asked, true));

test.for([{ format: 'password' }, { writeOnly: true }])('a field of %o asks for a secret', (more) => {
  const form = parseForm({ type: 'object', properties: { value: { type: 'string', ...more } } });
  expect(form.kind === 'form' && asksForSecrets(form, 'Fill in')).toEqual(['value']);
});

test('of several fields only those that ask are named, and a choice never does', () => {
  const form = parseForm({
    type: 'object',
    properties: {
      user: { type: 'string' },
      password: { type: 'string' },
      token: { type: 'string', enum: ['short', 'long'] },
    },
  });
  expect(form.kind === 'form' && asksForSecrets(form, 'Enter your password')).toEqual(['password']);
});

test('a long text costs no more than its length', () => {
  const form = parseForm({ type: 'object', properties: { value: { type: 'string' } } });
  if (form.kind === 'refused') throw new Error(form.reason);
  expect(isSteep((length) => asksForSecrets(form, 'enter '.repeat(length / 2)))).toBe(false);
});
