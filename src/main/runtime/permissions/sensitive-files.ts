/**
 * Files that need a person's word even where others of the folder do not: secrets before they are read,
 * and files that decide what runs later (git's hooks, agents, settings, shell start-up) before they are
 * written. Paths are absolute or relative, with slashes; only their names are looked at.
 */

/** Whether a file is likely to hold a secret. */
export function isSecret(path: string): boolean {
  const names = namesOf(path)
  const file = names.at(-1) ?? ''
  if (/^\.env(\..*)?$/.test(file)) return !/\.(example|sample|template|dist|defaults?)$/.test(file)
  return (
    SECRET_FILE.test(file) ||
    names.some((name) => SECRET_FOLDERS.has(name)) ||
    SECRET_PLACES.some((place) => endsWith(names, place))
  )
}

/** Whether a file is asked about before every write, whatever the mode and the rules say. */
export function isProtected(path: string): boolean {
  const names = namesOf(path)
  const file = names.at(-1) ?? ''
  return (
    names.some((name) => PROTECTED_FOLDERS.has(name)) ||
    PROTECTED_FILES.has(file) ||
    /^\.env(\..*)?$/.test(file) ||
    names.some((name, index) => name === '.config' && names[index + 1] === 'fish')
  )
}

const SECRET_FILE =
  /^(\.envrc|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|\.vault-token)$/
const SECRET_FOLDERS: ReadonlySet<string> = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.gcloud', '.kube'])
const SECRET_PLACES: readonly (readonly string[])[] = [
  ['.docker', 'config.json'],
  ['.config', 'gh', 'hosts.yml'],
  ['.claude', '.credentials.json'],
]

const PROTECTED_FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.claude',
  '.ssh',
  '.gnupg',
  '.aws',
  '.kube',
  '.vscode',
  '.idea',
  '.husky',
])
const PROTECTED_FILES: ReadonlySet<string> = new Set([
  '.envrc',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.login',
  '.cshrc',
  '.tcshrc',
  '.kshrc',
  '.inputrc',
  '.xprofile',
  '.gitconfig',
  '.gitmodules',
  '.ripgreprc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pypirc',
  '.netrc',
  '.git-credentials',
  '.mcp.json',
  '.claude.json',
  'authorized_keys',
])

/**
 * The names of a path as a careless file system would compare them: case, invisible characters, dots
 * and blanks at the end, streams (`.git::$INDEX_ALLOCATION`) and short names (`GIT~1`) make no difference.
 */
function namesOf(path: string): readonly string[] {
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

function endsWith(names: readonly string[], end: readonly string[]): boolean {
  return end.every((name, index) => names[names.length - end.length + index] === name)
}
