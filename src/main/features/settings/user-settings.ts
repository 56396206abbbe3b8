/**
 * What the user's own settings files say about the whole program: `env`, `model`, `statusLine`, `apiKeyHelper`. A
 * project's files don't count: they could redirect the key or start programs. Read at the start, before the
 * rest of the program is loaded, so this file imports little. The settings store reads `below` and `above` again.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, sentence } from '../../../shared/kernel/result.ts'
import { efforts } from '../../../shared/models/effort.ts'
import { zoomOf } from '../../../shared/settings/zoom.ts'
import { isRecord, parseJson } from '../../platform/json/json-text.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { managedSettingsFiles } from './managed-settings.ts'

type Raw = Readonly<Record<string, unknown>>

export interface UserSettings {
  /** Variables for commands, and in place of missing variables of the program's own environment. */
  readonly env: Readonly<Record<string, string>>
  /** A shell command that prints an API key. */
  readonly apiKeyHelper: string | null
  /** Known before the first paint, so that the window never flashes in the wrong color. */
  readonly theme: 'system' | 'dark' | 'light'
  /** In percent; known before the first paint too. */
  readonly zoom: number
  /** The plugins that `enabledPlugins` turns off, by name. */
  readonly turnedOffPlugins: readonly string[]
  /** Settings in this program's form that count where its own file says nothing. */
  readonly below: SettingsSourceFile
  /** An administrator's settings, which count before the program's own file. */
  readonly above: SettingsSourceFile
  /** The files beside the program's own one, whether they exist or not. */
  readonly files: readonly string[]
  /** Whether one of those files exists and is not a JSON object. */
  readonly isBroken: boolean
  /** Sentences for the user. */
  readonly problems: readonly string[]
}

export interface SettingsSourceFile {
  readonly raw: Raw
  /** The file of each key. */
  readonly files: Readonly<Record<string, string>>
}

export function readUserSettings(options: {
  readonly dataFolder: string
  readonly home: string
  readonly managed?: readonly string[]
}): UserSettings {
  const { dataFolder, home, managed = managedSettingsFiles(process.platform) } = options
  const problems: string[] = []
  const read = (file: string) => ({ file, raw: readObject(file, problems) })
  const administrator = managed.map(read)
  // The settings store reports a broken file of this program.
  const own = {
    file: join(dataFolder, 'settings.json'),
    raw: readObject(join(dataFolder, 'settings.json'), []),
  }
  const user = read(join(home, '.claude', 'settings.json'))
  const isBroken = problems.length > 0
  const all = [...administrator, own, user]
  const theme = own.raw['theme']
  const helper = all.find(({ raw }) => typeof raw['apiKeyHelper'] === 'string')?.raw['apiKeyHelper']
  for (const { file, raw } of [own, user])
    if ('cleanupPeriodDays' in raw)
      problems.push(
        `"cleanupPeriodDays" in ${file} has no effect: Troupe deletes no conversations by itself.`,
      )
  return {
    env: Object.assign(
      {},
      ...all.toReversed().map(({ file, raw }) => variablesOf(raw['env'], file, problems)),
    ),
    apiKeyHelper: typeof helper === 'string' && helper.trim() !== '' ? helper : null,
    theme: theme === 'dark' || theme === 'light' ? theme : 'system',
    zoom: zoomOf(own.raw['zoom']),
    turnedOffPlugins: turnedOff(all.map(({ raw }) => raw['enabledPlugins'])),
    below: merged([{ file: user.file, raw: ownForm(user.raw) }]),
    above: merged(administrator.map(({ file, raw }) => ({ file, raw: { ...raw, ...ownForm(raw) } }))),
    files: [...managed, user.file],
    isBroken,
    problems,
  }
}

/** A broken or missing file is empty. */
function readObject(file: string, problems: string[]): Raw {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
    const read = parseJson(text.trim() === '' ? '{}' : text)
    if (read.ok && isRecord(read.value)) return read.value
    problems.push(
      `${file} doesn't apply: ${sentence(read.ok ? 'it is not a JSON object' : read.failure.message)}`,
    )
  } catch (thrown) {
    if (!MISSING.includes(codeOf(thrown)))
      problems.push(`${file} doesn't apply: ${sentence(messageOf(thrown))}`)
  }
  return {}
}

const MISSING = ['ENOENT', 'ENOTDIR']

function variablesOf(value: unknown, file: string, problems: string[]): Readonly<Record<string, string>> {
  if (value === undefined) return {}
  if (!isRecord(value)) {
    problems.push(`"env" in ${file} is not an object, so it has no effect.`)
    return {}
  }
  const found: Record<string, string> = {}
  for (const [name, given] of Object.entries(value))
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && ['string', 'number', 'boolean'].includes(typeof given))
      found[name] = String(given)
    else
      problems.push(
        `The variable ${JSON.stringify(name)} of "env" in ${file} has no effect: its name or value is not valid.`,
      )
  return found
}

/** `{"tidy@market": false}`. The first file that names a plugin counts. */
function turnedOff(given: readonly unknown[]): readonly string[] {
  const named = Object.assign({}, ...given.filter(isRecord).toReversed())
  return Object.entries(named).flatMap(([name, on]) => (on === false ? (name.split('@')[0] ?? []) : []))
}

/** People's keys in this program's form. */
function ownForm(raw: Raw): Raw {
  const { model, permissions, statusLine, providers, effortLevel, alwaysThinkingEnabled } = raw
  const mode = isRecord(permissions) ? permissions['defaultMode'] : undefined
  return {
    ...(typeof model === 'string' && model !== 'default' && { model }),
    ...(efforts.some((known) => known === effortLevel) && { effort: effortLevel }),
    ...(typeof alwaysThinkingEnabled === 'boolean' && { thinking: alwaysThinkingEnabled ? 'on' : 'off' }),
    ...(isRecord(providers) && { providers }),
    ...(typeof mode === 'string' && { permissionMode: mode }),
    ...(isRecord(statusLine) &&
      typeof statusLine['command'] === 'string' && { statusLine: { command: statusLine['command'] } }),
  }
}

/** The first file that has a key counts. */
function merged(found: readonly { readonly file: string; readonly raw: Raw }[]): SettingsSourceFile {
  const raw: Record<string, unknown> = {}
  const files: Record<string, string> = {}
  for (const one of found.toReversed())
    for (const [key, value] of Object.entries(one.raw)) {
      raw[key] = value
      files[key] = one.file
    }
  return { raw, files }
}
