/** Secrets in text that leaves the program: keys and passwords by their well-known forms, as tools print them. */

interface Masked {
  readonly text: string
  /** How many secrets were masked. */
  readonly count: number
}

/** The text with each secret replaced by `[secret]`. What stands before a secret stays: `password=[secret]`. */
export function maskSecrets(text: string): Masked {
  let count = 0
  const hide = (before: string) => {
    count += 1
    return `${before}[secret]`
  }
  const withoutKeys = text
    .replace(KEY_BLOCK, (_, begin: string) => hide(`${begin}\n`))
    .replace(TOKEN, () => hide(''))
  const masked = withoutKeys
    .replace(IN_ADDRESS, (_, before: string) => hide(before))
    .replace(LOGIN_TOKEN, (_, before: string) => hide(before))
    .replace(IN_QUERY, (_, before: string) => hide(before))
    .replace(NAMED, (whole: string, before: string, quote: string, value: string) =>
      isPlaceholder(value) ? whole : hide(before + quote),
    )
  return { text: masked, count }
}

/** The text without the passwords and tokens of addresses: `https://me:[secret]@host`. */
export const maskAddresses = (text: string): string =>
  [IN_ADDRESS, LOGIN_TOKEN, IN_QUERY].reduce((masked, form) => masked.replace(form, '$1[secret]'), text)

/** Whether an address has a password, or a token in its login or its query. */
export const hasSecret = (address: string): boolean => maskSecrets(address).count > 0

/** The body of a private key, also one that is cut off. */
const KEY_BLOCK = /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[A-Za-z0-9+/=\s\\rn:,-]*?(?=-----END|$)/g

/** Forms that nothing else has: Anthropic, OpenAI, GitHub, GitLab, npm, Slack, AWS, Google, Stripe, and signed tokens. */
const TOKEN =
  /\b(?:sk-(?:ant-|proj-|or-)?[\w-]{20,}|gh[pousr]_\w{30,}|github_pat_\w{30,}|glpat-[\w-]{18,}|npm_\w{30,}|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{35}|[rs]k_live_\w{16,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,})/g

/**
 * `https://me:password@host`, also with an `@` in the password. One with a slash is told from a port and a path:
 * `http://localhost:3000/@scope`.
 */
const IN_ADDRESS =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@"'`<>]{0,200}:)(?:[^\s/["'`<>]{1,500}|(?!\d+\/)[^\s["'`<>]{1,500})(?=@)/gi

/** `https://token@host`: a login as long as a token, also before a password. */
const LOGIN_TOKEN = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[\w-]{20,500}(?=(?::[^\s/@"'`<>]*)?@)/gi

/** `https://host/x.git?private_token=…` */
const IN_QUERY =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'`<>]{0,500}?[?&;](?:[\w-]{0,50}(?:token|secret|passwd|password|api[_-]?key|signature)|auth|key|sig|pw)=)[^\s&#;["'`<>]+/gi

/** `API_KEY=…`, `"password": "…"`, `Authorization: Bearer …` */
const NAMED =
  /((?:\b|_)(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret|password|passwd|passphrase)["']?\s*[:=]\s*|\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+)(["']?)([^\s"',;&]{6,})/gi

/** A value that refers to a secret instead of being one. */
const isPlaceholder = (value: string): boolean =>
  /^(\$|\{|<|\[|%|process\.|env\.|os\.|import\.|null$|undefined$|string\b|number\b|\*+$|x+$|\.+$)/i.test(
    value,
  ) || /[()]/.test(value)
