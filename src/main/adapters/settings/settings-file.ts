/**
 * Reads and writes `settings.json`. Unknown keys and invalid values are kept unchanged until the key itself is changed.
 */
import { randomUUID } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { messageOf } from '../../../shared/result.ts'
import { type Settings, settings, settingsPatch } from '../../../shared/settings.ts'
import { replaceFile } from '../system/atomic-file.ts'
import { codeOf } from '../system/error-code.ts'

export type SettingsFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'whole'; readonly raw: Readonly<Record<string, unknown>>; readonly text: string }
  /** Not JSON, not an object, or not readable. The file is never overwritten. `reason` ends a sentence. */
  | { readonly kind: 'broken'; readonly reason: string }

/** Reads the file. An empty file counts as missing: an editor may be saving it. */
export async function readSettingsFile(file: string): Promise<SettingsFile> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { kind: 'missing' }
    return { kind: 'broken', reason: messageOf(error) }
  }
  const bare = text.replace(/^\uFEFF/, '')
  if (bare.trim() === '') return { kind: 'missing' }
  try {
    const raw: unknown = JSON.parse(bare)
    if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
      return { kind: 'whole', raw: raw as Record<string, unknown>, text: bare }
    }
    return { kind: 'broken', reason: 'it is not a JSON object' }
  } catch (error) {
    return { kind: 'broken', reason: messageOf(error) }
  }
}

/** The settings of a raw object, and a sentence for each invalid value. */
export function parseSettings(raw: Readonly<Record<string, unknown>>): {
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

/** Replaces the file atomically. The draft's name is unique: two Troupe processes may write at once. */
export async function writeSettingsFile(file: string, raw: Readonly<Record<string, unknown>>): Promise<void> {
  const content = `${JSON.stringify(raw, null, 2)}\n`
  await replaceFile(file, content, { durable: true, draft: `${file}.${randomUUID()}.tmp` })
}

/** Renames a broken file within its folder. @returns its new path */
export async function putAside(file: string, now: number): Promise<string> {
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-')
  const aside = join(dirname(file), `${basename(file, '.json')}.broken-${stamp}.json`)
  await rename(file, aside)
  return aside
}
