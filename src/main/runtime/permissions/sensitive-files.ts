/** Files that need permission before a read, even inside the folder. Paths are absolute or relative, with slashes. */
import { namesOf } from './path-names.ts'

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

const SECRET_FILE =
  /^(\.envrc|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.*\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|\.vault-token)$/
const SECRET_FOLDERS: ReadonlySet<string> = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.gcloud', '.kube'])
const SECRET_PATHS: readonly (readonly string[])[] = [
  ['.docker', 'config.json'],
  ['.config', 'gh', 'hosts.yml'],
  ['.claude', '.credentials.json'],
]

function endsWith(names: readonly string[], end: readonly string[]): boolean {
  return end.every((name, index) => names[names.length - end.length + index] === name)
}
