/**
 * The environment of commands and hooks: what the user exported, without secrets, and the `env` of the user's settings.
 * Other child processes get less; see childEnvironment.
 */

import { maskSecrets } from '../../../shared/kernel/mask-secrets.ts'
import type { CommandVariables } from '../../../shared/settings/command-variables.ts'
import { childEnvironment } from './child-environment.ts'

export interface CommandEnvironment {
  readonly variables: Readonly<Record<string, string>>
  /** The variables that commands don't get. `because` completes “not passed on, because …”. */
  readonly withheld: readonly { readonly name: string; readonly because: string }[]
}

interface CommandEnvironmentParts {
  /** The program's environment, without the keys that it uses itself. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** `env` of the user's settings files. They always count. */
  readonly ofSettings?: Readonly<Record<string, string>>
  readonly lists?: CommandVariables
  /** The names of variables with keys of model providers. They count before everything else. */
  readonly keys?: readonly string[]
}

export function commandEnvironment(parts: CommandEnvironmentParts): CommandEnvironment {
  const { environment, ofSettings = {}, lists = { pass: [], withhold: [] }, keys = [] } = parts
  const variables: Record<string, string> = {}
  const withheld: { name: string; because: string }[] = []
  const isKey = keyTest(keys, { ...ofSettings, ...environment })
  const because = (name: string, value: string): string | null => {
    if (isKey(name, value)) return 'it has the key of a model provider'
    if (Object.hasOwn(ofSettings, name)) return null
    const listed = (list: readonly string[]) => list.some((pattern) => matches(pattern, name))
    if (listed(lists.withhold)) return '"withhold" of "commandVariables" names it'
    if (listed(lists.pass)) return null
    return whyWithheld(name, value)
  }
  for (const [name, value] of Object.entries({ ...environment, ...ofSettings })) {
    if (value === undefined) continue
    const reason = because(name, value)
    if (reason === null) variables[name] = value
    else withheld.push({ name, because: reason })
  }
  return { variables, withheld }
}

/** Why a variable that no list names is not passed on; null: it is. */
function whyWithheld(name: string, value: string): string | null {
  if (Object.hasOwn(childEnvironment({ [name]: value }), name)) return null
  if (LOADS_CODE.test(name)) return 'it changes what a command does, or loads code into it'
  if (OTHER_REPOSITORY.test(name)) return 'it points git to another repository or other settings'
  if (LOGIN_SERVICE.test(name)) return 'it leads to the keys of another program'
  if (PROXY.test(name) && value.includes('@')) return 'it has a password'
  if (hasSecretName(name, value)) return 'its name is that of a secret'
  if (hasSecretValue(value)) return 'its value has the form of a secret'
  return null
}

/** The values of variables that are secrets by their name or their form. */
export const secretValues = (variables: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(variables).flatMap(([name, value]) =>
    value !== undefined && (hasSecretName(name, value) || hasSecretValue(value)) ? [value] : [],
  )

/** Whether a variable changes what commands do, beyond what their text says. */
export const altersCommands = (name: string): boolean => LOADS_CODE.test(name) || OTHER_REPOSITORY.test(name)

/** Troupe judges a command by its text, which these would change. */
const LOADS_CODE =
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|CDPATH|BASH_FUNC_.*|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/
const OTHER_REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|CEILING_DIRECTORIES|PREFIX|EXEC_PATH|CONFIG.*)$/
/** In the sandbox, `network.allowUnixSockets` opens the ssh agent. */
const LOGIN_SERVICE =
  /^(?:SSH_AUTH_SOCK|GPG_AGENT_INFO|(?:GIT|SSH|SUDO)_ASKPASS|VSCODE_GIT_(?:IPC|ASKPASS).*)$/
const PROXY = /^(?:https?|all|no|ftp)_proxy$/i

/** Names of one word, or with a word at the end of theirs: `PGPASSWORD`, `dbPassword`. */
const SECRET_END =
  /(?:PASSWORDS?|PASSWD|PASSPHRASES?|SECRETS?|TOKENS?|API_?KEYS?|CREDENTIALS?|SSHPASS|ASKPASS|COOKIES?)$/
/** Whole words between underscores. */
const SECRET_WORD =
  /^(?:KEYS?|PASS|PAT|PIN|AUTH|JWT|OTP|DSN|BEARER|APIKEY|PASSWORD|PASSWD|SECRET|TOKEN|CREDENTIALS?)$/
const SECRET_NAME = /^(?:MYSQL_PWD|ANTHROPIC_CUSTOM_HEADERS|.*CONNECTION_?STRING)$/
/** `GOOGLE_APPLICATION_CREDENTIALS=/home/me/key.json` says where a secret is. It is not one. */
const PATH_VALUE = /^(?:~?\/|[A-Za-z]:\\)[^\0]*$/
/** `MAX_TOKENS=4096`, `REQUIRE_AUTH=true` */
const PLAIN_VALUE = /^(?:|true|false|yes|no|on|off|none|auto|always|never|required|optional)$/i

function hasSecretName(name: string, value: string): boolean {
  if (PLAIN_VALUE.test(value) || PATH_VALUE.test(value)) return false
  const upper = name.toUpperCase()
  if (SECRET_NAME.test(upper)) return true
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
  const isCount = /^\d+$/.test(value) && /TOKENS$/.test(upper)
  return (
    !isCount && (words.some((word) => SECRET_WORD.test(word)) || words.some((word) => SECRET_END.test(word)))
  )
}

function hasSecretValue(value: string): boolean {
  const address = LOGIN.exec(value)
  if (address !== null && !isNear(address[2] ?? '')) return true
  // A password of a database on this machine is no secret of anybody.
  return maskSecrets(value.replace(LOGIN, '')).count > 0
}

/** `postgres://me:password@host`, `redis://:password@host`; the host is the second part. */
const LOGIN = /\b[a-z][a-z0-9+.-]*:\/\/([^\s:/@]*:[^\s/@]+|[^\s:/@]{20,})@(\[[^\]]*\]|[^\s:/?#,]*)/i

/** This machine, or a name without a dot, as compose files have them: `db`. */
function isNear(host: string): boolean {
  const name = host.toLowerCase()
  return (
    /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/.test(name) ||
    /(?:^|\.)(?:localhost|local|test|internal)$/.test(name) ||
    !/[.:[]/.test(name)
  )
}

/** Also a copy of a key under another name. */
function keyTest(
  names: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
): (name: string, value: string) => boolean {
  const values = new Set(names.flatMap((name) => variables[name]?.trim() || []))
  return (name, value) => names.includes(name) || values.has(value.trim())
}

/** A name, with `*` for any text. Upper and lower case count as the same. */
function matches(pattern: string, name: string): boolean {
  const text = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${text}$`, 'i').test(name)
}
