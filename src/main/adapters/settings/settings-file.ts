/**
 * `settings.json` as it lies on the disk: read without judging, written atomically. What this version does
 * not know, and what a person wrote wrongly, is kept as it is until that very key is changed.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Settings, settings, settingsPatch } from '../../../shared/settings.ts'

export type SettingsFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'whole'; readonly raw: Readonly<Record<string, unknown>> }
  /** Not JSON, not an object, or not readable: it is never written over. `reason` ends a sentence. */
  | { readonly kind: 'broken'; readonly reason: string }

/** Reads the file. An empty one counts as missing: an editor may just be saving it. */
export async function readSettingsFile(file: string): Promise<SettingsFile> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { kind: 'missing' }
    return { kind: 'broken', reason: error instanceof Error ? error.message : String(error) }
  }
  const bare = text.replace(/^\uFEFF/, '')
  if (bare.trim() === '') return { kind: 'missing' }
  try {
    const raw: unknown = JSON.parse(bare)
    if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
      return { kind: 'whole', raw: raw as Record<string, unknown> }
    }
    return { kind: 'broken', reason: 'it holds no object' }
  } catch (error) {
    return { kind: 'broken', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** The settings that a raw object means, and a sentence for each value that was not understood. */
export function understandSettings(raw: Readonly<Record<string, unknown>>): {
  readonly settings: Settings
  readonly problems: readonly string[]
} {
  const problems: string[] = []
  for (const [key, value] of Object.entries(settingsPatch.shape)) {
    if (raw[key] === undefined || value.safeParse(raw[key]).success) continue
    problems.push(`The setting "${key}" has a value that Troupe does not understand: the default is used.`)
  }
  return { settings: settings.parse(raw), problems }
}

/** Replaces the file: a reader sees the old content or the new one, and nobody else may read it. */
export async function writeSettingsFile(file: string, raw: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(raw, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Moves a broken file aside, beside itself. @returns where it is now */
export async function putAside(file: string, now: number): Promise<string> {
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-')
  const aside = join(dirname(file), `${basename(file, '.json')}.broken-${stamp}.json`)
  await rename(file, aside)
  return aside
}
