/** Completes the manifest of a fetched plugin with what its entry in the marketplace says. */
import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { isRecord, parseJson } from '../../platform/json/json-text.ts'
import { readPlainFile } from '../../platform/system/plain-text.ts'
import type { MarketplaceEntry } from './marketplace.ts'

type Fields = Readonly<Record<string, unknown>>

/** Lists of parts. Those of the entry come in addition to those of the plugin. */
const LISTS = ['agents', 'skills', 'commands', 'hooks', 'mcpServers', 'outputStyles'] as const
/** What the entry says if the plugin says nothing. */
const FACTS = ['description', 'version', 'lspServers', 'userConfig', 'dependencies'] as const

/**
 * With `strict: false`, the entry is the whole manifest, and the plugin has only what it lists. The folder is Troupe's own
 * copy. Fails with `plugin`.
 */
export async function completeManifest(
  folder: string,
  { name, fields }: MarketplaceEntry,
): Promise<Result<void>> {
  const file = join(folder, '.claude-plugin', 'plugin.json')
  const read = await readPlainFile(file, folder)
  const parsed = read.kind === 'text' ? parseJson(read.text) : null
  const own = parsed?.ok && isRecord(parsed.value) ? parsed.value : {}
  // A manifest that can't be read is reported where plugins are read.
  if (parsed !== null && (!parsed.ok || !isRecord(parsed.value))) return ok(undefined)
  const strict = fields['strict'] !== false
  const next = strict
    ? supplemented(own, fields, name)
    : { ...pick(fields), name: own['name'] ?? name, strict }
  if (JSON.stringify(next) === JSON.stringify(own)) return ok(undefined)
  for (const path of [join(folder, '.claude-plugin'), file])
    if ((await lstat(path).catch(() => null))?.isSymbolicLink())
      return fail({ type: 'plugin', message: `The plugin ${name} has its manifest behind a link.` })
  await mkdir(join(folder, '.claude-plugin'), { recursive: true })
  await writeFile(file, `${JSON.stringify(next, null, 2)}\n`)
  return ok(undefined)
}

function supplemented(own: Fields, entry: Fields, name: string): Fields {
  const facts = FACTS.filter((key) => own[key] === undefined && entry[key] !== undefined)
  const lists = LISTS.filter((key) => entry[key] !== undefined)
  return {
    ...own,
    ...(own['name'] === undefined && { name }),
    ...Object.fromEntries(facts.map((key) => [key, entry[key]])),
    ...Object.fromEntries(lists.map((key) => [key, together(key, own[key], entry[key])])),
  }
}

function together(key: (typeof LISTS)[number], own: unknown, added: unknown): unknown {
  if (own === undefined)
    // A list of agents or commands takes the place of the standard folder, which an entry only adds to.
    return key === 'agents' || key === 'commands' ? standardAnd(key, added) : added
  if (key === 'commands' && (isRecord(own) || isRecord(added))) return own
  return [own, added].flat()
}

const standardAnd = (key: string, added: unknown): unknown =>
  isRecord(added) ? added : [...new Set([`./${key}`, ...[added].flat()])]

const pick = (fields: Fields): Fields =>
  Object.fromEntries([...LISTS, ...FACTS].filter((key) => key in fields).map((key) => [key, fields[key]]))
