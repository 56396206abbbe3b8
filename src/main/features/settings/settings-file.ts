/**
 * Reads `settings.json`, with comments, and changes settings in its text. Unknown keys, invalid values and every other
 * character are kept until the setting itself is changed.
 */
import { lstat, readFile, stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import {
  type Settings,
  type SettingsPatch,
  settings,
  settingsPatch,
} from '../../../shared/settings/settings.ts'
import { isRecord, parseJson } from '../../platform/json/json-text.ts'
import { type JsonPath, withMember } from '../../platform/json/splice-json.ts'
import { codeOf } from '../../platform/system/error-code.ts'

type Raw = Readonly<Record<string, unknown>>

export type SettingsFileContent =
  | { readonly kind: 'missing' }
  | { readonly kind: 'whole'; readonly raw: Raw; readonly text: string }
  /** Not JSON, not an object, or not readable. The file is never overwritten. `reason` ends a sentence. */
  | { readonly kind: 'broken'; readonly reason: string; readonly text: string | null }

/** Reads the file. An empty file counts as missing: an editor may be saving it. */
export async function readSettingsFile(file: string): Promise<SettingsFileContent> {
  let text: string
  try {
    const reason = await notAFile(file)
    if (reason !== null) return { kind: 'broken', reason, text: null }
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'missing' }
    return { kind: 'broken', reason: messageOf(error), text: null }
  }
  const bare = text.replace(/^\uFEFF/, '')
  if (bare.trim() === '') return { kind: 'missing' }
  const read = parseJson(bare)
  if (!read.ok) return { kind: 'broken', reason: read.failure.message, text: bare }
  return isRecord(read.value)
    ? { kind: 'whole', raw: read.value, text: bare }
    : { kind: 'broken', reason: 'it is not a JSON object', text: bare }
}

/** Why a path can't be read as a file: reading a pipe would wait for its writer. */
async function notAFile(file: string): Promise<string | null> {
  const [found, target] = await Promise.all([lstat(file), stat(file).catch(() => null)])
  if (target === null && found.isSymbolicLink()) return 'it is a link that leads to no file'
  return target?.isFile() === false ? `it is a ${target.isDirectory() ? 'folder' : 'special file'}` : null
}

/** The settings of a raw object, and a sentence for each invalid value. */
export function parseSettings(raw: Raw): {
  readonly settings: Settings
  readonly problems: readonly string[]
} {
  const problems: string[] = []
  for (const [key, value] of Object.entries(settingsPatch.shape)) {
    if (raw[key] === undefined || value.safeParse(raw[key]).success) continue
    problems.push(`The setting "${key}" has an invalid value. Its default is used.`)
  }
  return { settings: settings.parse(raw), problems }
}

/** The text of a settings file with some settings changed in their places. Fails with `json`. */
export function changedSettingsText(text: string, patch: SettingsPatch): Result<string> {
  let changed = ok(text) as Result<string>
  for (const [key, next] of Object.entries(patch)) {
    if (!changed.ok) return changed
    if (next === undefined) continue
    const now = valueIn(changed.value, key)
    if (isDeepStrictEqual(now, next)) continue
    const inParts = now === undefined ? null : withParts(changed.value, [key], { now, next })
    changed =
      inParts?.ok && isDeepStrictEqual(valueIn(inParts.value, key), next)
        ? inParts
        : withMember(changed.value, { path: [key], value: next })
  }
  return changed
}

/** The text of a settings file without some settings, named as `maxAgents` or `sandbox.enabled`. Fails with `json`. */
export function withoutSettings(text: string, names: readonly string[]): Result<string> {
  let changed = ok(text) as Result<string>
  for (const name of names) {
    const [key = name, ...inner] = name.split('.')
    if (changed.ok && changed.value.trim() !== '')
      changed = withMember(changed.value, { path: [key, ...inner], value: undefined })
  }
  return changed
}

/** The meaning of a setting in a text; undefined: it has none, or an invalid one. */
function valueIn(text: string, key: string): unknown {
  const read = parseJson(text)
  const raw = read.ok && isRecord(read.value) ? read.value[key] : undefined
  const schema = Object.entries(settingsPatch.shape).find(([name]) => name === key)?.[1]
  const parsed = raw === undefined ? undefined : schema?.safeParse(raw)
  return parsed?.success ? parsed.data : undefined
}

interface Difference {
  readonly now: unknown
  readonly next: unknown
}

/** Changes only the members that differ, so that those of other versions stay in an object. */
function withParts(text: string, path: JsonPath, { now, next }: Difference): Result<string> {
  if (!isRecord(now) || !isRecord(next)) return withMember(text, { path, value: next })
  let changed = ok(text) as Result<string>
  for (const key of new Set([...Object.keys(now), ...Object.keys(next)])) {
    if (!changed.ok) return changed
    if (isDeepStrictEqual(now[key], next[key])) continue
    changed = withParts(changed.value, [...path, key], { now: now[key], next: next[key] })
  }
  return changed
}
