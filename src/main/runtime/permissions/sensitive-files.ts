/**
 * Files that need permission even inside the folder: secrets before a read, and files that control what runs later
 * (git hooks, agents, settings, shell start-up) before a write. Paths are absolute or relative, with slashes; only
 * the names in them count.
 */

/** Whether a file is likely to contain a secret. */
export function isSecret(path: string): boolean {
  const names = namesOf(path)
  const file = names.at(-1) ?? ''
  if (/^\.env(\..*)?$/.test(file)) return !/\.(example|sample|template|dist|defaults?)$/.test(file)
  return (
    SECRET_FILE.test(file) ||
    names.some((name) => SECRET_FOLDERS.has(name)) ||
    SECRET_PATHS.some((path) => endsWith(names, path))
  )
}

/** Whether every write needs permission, in any mode and with any rule. */
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
const SECRET_PATHS: readonly (readonly string[])[] = [
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
 * The names of a path as the most lenient file system compares them: without case, invisible characters, trailing
 * dots and spaces, streams (`.git::$INDEX_ALLOCATION`) and short names (`GIT~1`).
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
