/** Files that need permission before a read, even inside the folder. Paths are absolute or relative, with slashes. */

/** Whether a file is likely to contain a secret, or is in a folder of secrets. */
export function isSecret(path: string): boolean {
  const names = namesOf(path)
  const file = names.at(-1) ?? ''
  if (/^\.env(\..*)?$/.test(file)) return !/\.(example|sample|template|dist|defaults?)$/.test(file)
  return SECRET_FILE.test(file) || names.some((_, start) => isHomeSecret(names.slice(start)))
}

/**
 * Whether a file in a folder is likely to contain a secret. In a folder of secrets only the path below it decides: who
 * opened `~/.kube/charts` works there.
 */
export function isSecretBelow(folder: string, below: string): boolean {
  return isSecret(below) || (!isSecret(folder) && isSecret(`${folder}/${below}`))
}

/** Whether a folder with this path, in a home folder, contains secrets or is one: `.config`, `.ssh`. */
export function holdsHomeSecrets(pathInHome: string): boolean {
  const names = namesOf(pathInHome)
  return isSecret(pathInHome) || HOME_NAMES.some((secret) => startsWith(secret, names))
}

/**
 * The files and folders of a home folder that hold secrets, as absolute paths. Not all of them exist. Secret files
 * with other paths (`*.pem`) are only known by their names; see `isSecret`.
 */
export function secretsOfHome(home: string): readonly string[] {
  const folder = home.replaceAll('\\', '/').replace(/\/+$/, '')
  return HOME_SECRETS.map((path) => `${folder}/${path}`)
}

const SECRET_FILE = new RegExp(
  `^(${[
    String.raw`\.envrc`,
    String.raw`id_(rsa|dsa|ecdsa|ed25519|xmss)(?!.*\.pub$).*`,
    String.raw`.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)`,
    'api-key',
    String.raw`\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|\.vault-token`,
    String.raw`\.(bash|zsh|sh|ksh|python|node_repl|psql|mysql|sqlite|rediscli)_history`,
  ].join('|')})$`,
)

/** Below a home folder. A copy of one of these in another folder is a secret as well. */
const HOME_SECRETS: readonly string[] = `
  .ssh
  .gnupg
  .aws
  .azure
  .gcloud
  .config/gcloud
  .kube
  .docker/config.json
  .npmrc
  .pypirc
  .netrc
  .pgpass
  .git-credentials
  .config/git/credentials
  .vault-token
  .config/gh/hosts.yml
  .config/glab-cli/config.yml
  .config/hub
  .config/doctl/config.yaml
  .config/rclone/rclone.conf
  .config/op
  .cargo/credentials
  .cargo/credentials.toml
  .gem/credentials
  .m2/settings.xml
  .gradle/gradle.properties
  .composer/auth.json
  .terraform.d/credentials.tfrc.json
  .s3cfg
  .boto
  .claude/.credentials.json
  .codex/auth.json
  .config/troupe/api-key
  .config/troupe/provider-keys
  Library/Application Support/troupe/api-key
  Library/Application Support/troupe/provider-keys
  AppData/Roaming/troupe/api-key
  AppData/Roaming/troupe/provider-keys
  .mozilla
  .thunderbird
  .config/google-chrome
  .config/chromium
  .config/microsoft-edge
  .config/BraveSoftware
  .config/vivaldi
  .config/opera
  snap/firefox
  snap/chromium
  Library/Application Support/Firefox
  Library/Application Support/Google/Chrome
  Library/Application Support/Chromium
  Library/Application Support/Microsoft Edge
  Library/Application Support/BraveSoftware
  Library/Safari
  Library/Cookies
  AppData/Roaming/Mozilla
  AppData/Local/Google/Chrome/User Data
  AppData/Local/Microsoft/Edge/User Data
  .password-store
  .config/1Password
  .config/Bitwarden
  .config/keepassxc
  .local/share/keyrings
  .local/share/kwalletd
  .local/share/pki
  .pki
  Library/Keychains
  AppData/Roaming/Microsoft/Credentials
  AppData/Roaming/Microsoft/Protect
  .bash_history
  .zsh_history
  .sh_history
  .ksh_history
  .python_history
  .node_repl_history
  .psql_history
  .mysql_history
  .sqlite_history
  .rediscli_history
  .local/share/fish/fish_history
`
  .trim()
  .split(/\n\s*/)

const HOME_NAMES = HOME_SECRETS.map(namesOf)
/** The folder is Troupe's own, in a data folder of any name. */
const BY_FIRST_NAME = new Map<string, (readonly string[])[]>([['provider-keys', [['provider-keys']]]])
for (const names of HOME_NAMES) {
  const first = names[0] ?? ''
  BY_FIRST_NAME.set(first, [...(BY_FIRST_NAME.get(first) ?? []), names])
}

function isHomeSecret(names: readonly string[]): boolean {
  return BY_FIRST_NAME.get(names[0] ?? '')?.some((secret) => startsWith(names, secret)) ?? false
}

function startsWith(names: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => names[index] === name)
}

/**
 * The names of a path as the most lenient file system compares them: without case, invisible characters, trailing
 * dots and spaces, streams (`.git::$INDEX_ALLOCATION`) and short names (`GIT~1`).
 */
export function namesOf(path: string): readonly string[] {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => {
      const plain = name
        .normalize('NFC')
        .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/gu, '')
        .toLowerCase()
        .replace(/:.*$/, '')
        .replace(/[. ]+$/, '')
      return /^git~[0-9]+$/.test(plain) ? '.git' : plain
    })
}
