/** Composes the settings files of all layers with what the program needs from them. */
import { readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { FolderRules, RefusedEntry, WrittenRule } from '../../../shared/rules/written-rule.ts'
import { settings } from '../../../shared/settings/settings.ts'
import { type FileSetting, fileSettings, isFileSetting } from '../../../shared/settings/settings-files.ts'
import {
  type BrokenLayer,
  isUsersOwn,
  type SettingsLayer,
  type SettingsSource,
} from '../../../shared/settings/settings-layers.ts'
import { type Approvals, createApprovals } from '../../platform/approvals/approvals.ts'
import { namedScripts, textsIn } from '../../platform/approvals/named-scripts.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { isRecord, jsonPlaces, valueInBroken } from '../../platform/json/json-text.ts'
import { fileVersion } from '../../platform/system/file-version.ts'
import { projectFolder } from '../../platform/system/project-folder.ts'
import { managedSettingsFiles } from './managed-settings.ts'
import {
  type LayerPermissions,
  type LooseningEntry,
  layerPermissions,
  looseningEntries,
  type PermissionContext,
  rulePlaceOf,
} from './permission-settings.ts'
import { createSettingsLayers, type SettingsLayerReader } from './settings-layers.ts'

export interface FolderPermissions extends FolderRules {
  /** The entries behind `additionalDirectories`. */
  readonly folders: readonly WrittenRule[]
  /** Entries without an effect. */
  readonly refused: readonly RefusedEntry[]
  /** The files that could not be read. */
  readonly broken: readonly string[]
  readonly problems: readonly string[]
  /** Those of the problems that the user is told about at once. */
  readonly mistakes: readonly string[]
}

export interface ComposedSettings {
  readonly layers: SettingsLayerReader
  permissions(folder: string): Promise<FolderPermissions>
  /** The files of a folder that its hooks, MCP servers and status line name. Absolute. */
  scripts(folder: string): Promise<readonly string[]>
  /**
   * Approves entries of the folder's `settings.local.json` that came after the user last saw the file: this one, or all.
   * @returns the approved entries. Fails with `io`.
   */
  approveEntries(folder: string, only?: LooseningEntry): Promise<Result<readonly LooseningEntry[]>>
}

export function composeSettings(options: {
  readonly dataFolder: string
  readonly home: string
  readonly isTrusted: (folder: string) => boolean
  readonly git: Git
  /** Whether a folder is trusted only with one around it, so that nobody was asked about what is in it at first. */
  readonly isInherited?: (folder: string) => boolean
  /** The administrator's files; by default those of this platform. */
  readonly managed?: readonly string[]
}): ComposedSettings {
  const { dataFolder, home, isTrusted, git, isInherited = () => false } = options
  const { managed = managedSettingsFiles(process.platform) } = options
  const layers = createSettingsLayers({ dataFolder, home, managed })
  const isOwn = ownLocalFile(git)
  const seen = seenEntries(createApprovals({ dataFolder }), { dataFolder, isInherited })
  /** By folder and file: the rules that forbid or ask, of the last whole file. */
  const forbidding = new Map<string, Map<string, Forbidding>>()
  const localEntries = async (folder: string) => {
    const { layers: read } = await layers.read(folder, { trusted: isTrusted(folder) })
    return read.filter(({ source }) => source === 'local').flatMap(looseningEntries)
  }
  return {
    layers,
    async scripts(folder) {
      const { layers: read } = await layers.read(folder, { trusted: isTrusted(folder) })
      const servers = await readFile(join(folder, '.mcp.json'), 'utf8').catch(() => '')
      const named = read.map(({ raw }) => [raw['hooks'], raw['mcpServers'], raw['statusLine']])
      return namedScripts(folder, [...textsIn(named), servers])
    },
    async approveEntries(folder, only) {
      const entries = await localEntries(folder)
      const before = await seen.of(folder, entries)
      const added = entries.filter(
        (entry) => !before.has(keyOf(entry)) && (!only || keyOf(only) === keyOf(entry)),
      )
      const approved = await seen.add(folder, [...before, ...added.map(keyOf)])
      return approved.ok ? ok(added) : approved
    },
    async permissions(folder) {
      const trusted = isTrusted(folder)
      const read = await layers.read(folder, { trusted })
      const local = read.layers.filter(({ source }) => source === 'local').flatMap(looseningEntries)
      const known = trusted ? await seen.of(folder, local) : null
      const found: LayerPermissions[] = []
      for (const layer of read.layers) {
        const refused = layer.source === 'local' && layer.file !== null ? await isOwn(layer.file) : null
        const because =
          layer.source === 'project' ? "a project's settings can't loosen permissions" : (refused ?? '')
        const isSeen = (entry: LooseningEntry) =>
          layer.source !== 'local' || known?.has(keyOf(entry)) === true
        const context = { home, folder, mayLoosen: because === '', because, isSeen }
        found.push(layerPermissions(layer, context))
      }
      const last = forbidding.get(folder) ?? new Map<string, Forbidding>()
      forbidding.set(folder, last)
      read.layers.forEach(({ file, source }, index) => {
        const { deny = [], ask = [] } = found[index] ?? {}
        if (file !== null) last.set(file, { deny, ask, source })
      })
      // A command that deletes or breaks a file of rules must not lift them.
      const gone = [...last].filter(
        ([file, { deny, ask, source }]) =>
          deny.length + ask.length > 0 &&
          read.layers.every((layer) => layer.file !== file) &&
          (trusted || isUsersOwn(source)),
      )
      const kept = gone.map(
        ([file]) =>
          `${file} is missing or can't be read. Its rules that deny or ask hold until it can be read again, or Troupe starts again.`,
      )
      const broken = read.problems
        .filter(({ file }) => !last.has(file))
        .map((layer) => brokenRules(layer, { home, folder, mayLoosen: false, because: '' }))
      const lost = broken.flatMap(({ problem }) => problem ?? [])
      return {
        deny: [...found, ...broken, ...gone.map(([, rules]) => rules)].flatMap(({ deny }) => deny),
        ask: [...found, ...broken, ...gone.map(([, rules]) => rules)].flatMap(({ ask }) => ask),
        allow: found.flatMap(({ allow }) => allow),
        additionalDirectories: found.flatMap((one) => one.additionalDirectories),
        folders: found.flatMap(({ folders }) => folders),
        refused: found.flatMap(({ refused }) => refused),
        broken: read.problems.map(({ file }) => file),
        mistakes: [
          ...kept,
          ...lost,
          ...read.problems.map(({ message }) => message),
          ...found.flatMap(({ mistakes }) => mistakes),
        ],
        problems: [
          ...kept,
          ...lost,
          ...read.problems.map(({ message }) => message),
          ...read.layers.flatMap((layer) => ignoredKeys(layer, { home, folder })),
          ...found.flatMap(({ problems }) => problems),
        ],
      }
    },
  }
}

interface Forbidding extends Pick<LayerPermissions, 'deny' | 'ask'> {
  readonly source: SettingsSource
}

const keyOf = ({ list, text }: LooseningEntry): string => `${list} ${text}`

/**
 * The entries of a folder's `settings.local.json` that the user has seen: those that were there when the file was first
 * read in the trusted folder, and those that were approved since. Commands and agents may have written the others.
 */
function seenEntries(
  approvals: Approvals,
  {
    dataFolder,
    isInherited,
  }: { readonly dataFolder: string; readonly isInherited: (folder: string) => boolean },
) {
  const thing = (keys: readonly string[]) =>
    ({
      kind: 'settings',
      name: '.claude/settings.local.json',
      definition: [...new Set(keys)].sort(),
    }) as const
  const known = new Map<string, { readonly version: string; readonly keys: ReadonlySet<string> }>()
  const looking = new Map<string, Promise<ReadonlySet<string>>>()
  const versionOf = (folder: string) =>
    fileVersion(join(projectFolder(dataFolder, folder).path, 'approvals.json'))
  const add = (folder: string, keys: readonly string[]) => approvals.decide(folder, thing(keys), 'approved')
  const look = async (folder: string, entries: readonly LooseningEntry[]) => {
    const version = versionOf(folder)
    // A definition that no file has: the approval then tells what was approved.
    const found = await approvals.of(folder, { ...thing([]), definition: null })
    const former = found.state === 'changed' && Array.isArray(found.former) ? found.former : null
    const keys = new Set<string>(former ?? (isInherited(folder) ? [] : entries.map(keyOf)))
    if (former === null) await add(folder, [...keys])
    known.set(folder, { version: former === null ? versionOf(folder) : version, keys })
    return keys
  }
  return {
    add,
    async of(folder: string, entries: readonly LooseningEntry[]): Promise<ReadonlySet<string>> {
      const before = known.get(folder)
      if (before !== undefined && before.version === versionOf(folder)) return before.keys
      // The calls of a message ask at once: the file is read, and at first written, for all of them together.
      const found = looking.get(folder) ?? look(folder, entries).finally(() => looking.delete(folder))
      looking.set(folder, found)
      return found
    },
  }
}

/**
 * Whether `settings.local.json` is the user's own, because git does not track it; otherwise why it is not. A repository
 * could bring a tracked file, a link, or a file in a folder without git.
 */
function ownLocalFile(git: Git): (file: string) => Promise<string | null> {
  const known = new Map<string, { readonly version: string; readonly answer: Promise<string | null> }>()
  const look = async (file: string): Promise<string | null> => {
    const folder = dirname(file)
    const real = await realpath(file).catch(() => null)
    const realFolder = await realpath(dirname(folder)).catch(() => null)
    if (real === null || realFolder === null || real !== join(realFolder, '.claude', basename(file)))
      return 'the file is behind a link'
    const listed = await git.run(folder, ['ls-files', '-z', '--', `:(icase)${basename(file)}`])
    if (!listed.ok) return 'git does not say that this file is untracked'
    return listed.value === '' ? null : 'git tracks this file, so anyone may have written it'
  }
  return (file) => {
    // A file that git brings later is a changed file.
    const version = fileVersion(file)
    const before = known.get(file)
    if (before?.version === version) return before.answer
    const answer = look(file)
    known.set(file, { version, answer })
    return answer
  }
}

interface BrokenRules {
  readonly deny: readonly WrittenRule[]
  readonly ask: readonly WrittenRule[]
  /** A sentence for the user; null: the file has no such rules. */
  readonly problem: string | null
}

/** What may change something or carry something out, and what reads. */
const EVERYTHING = ['Bash', 'Read', 'Edit', 'WebFetch', 'WebSearch'] as const

/**
 * The rules that deny or ask of a settings file that can't be read as a whole. A guard must not go away because its file
 * is broken: the rules that its text still shows hold, and where some may be lost, Troupe asks about everything.
 */
function brokenRules({ source, file, text }: BrokenLayer, context: PermissionContext): BrokenRules {
  const written = text === null ? null : (text.match(/"(deny|ask)"/g)?.length ?? 0)
  if (written === 0) return { deny: [], ask: [], problem: null }
  const value = text === null ? undefined : valueInBroken(text)
  const raw = isRecord(value) ? value : {}
  const { deny, ask } = layerPermissions({ source, file, raw }, { ...context, mayLoosen: false })
  const where = rulePlaceOf(file, null, context)
  // Each list that the text names must be found, up to its end.
  const lists = isRecord(raw['permissions']) ? raw['permissions'] : {}
  const found = ['deny', 'ask'].filter((key) => Array.isArray(lists[key])).length
  const isWhole = text !== null && found === written && texts(lists) === quotedIn(text)
  const all = EVERYTHING.map(
    (tool): WrittenRule => ({ text: tool, source, file, line: null, where, isRefused: true }),
  )
  return {
    deny,
    ask: isWhole ? ask : [...ask, ...all],
    problem: isWhole
      ? `${where} is broken. The rules that deny or ask in it hold.`
      : `${where} can't be read, and rules that deny or ask may be lost, so Troupe asks about every command, file and page until it can be read.`,
  }
}

/** How many entries the lists have. */
const texts = (lists: Readonly<Record<string, unknown>>): number =>
  ['deny', 'ask'].flatMap((key) => (Array.isArray(lists[key]) ? lists[key] : [])).length

/** How many texts stand in the lists of a text, up to the bracket that ends each. */
function quotedIn(text: string): number {
  const lists = text.match(/"(?:deny|ask)"\s*:\s*\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]/g) ?? []
  return lists.reduce((sum, list) => sum + (list.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 1) - 1, 0)
}

/** A sentence for each setting that a project's or local file has and that has no effect there. */
function ignoredKeys(
  layer: SettingsLayer,
  context: { readonly home: string; readonly folder: string },
): readonly string[] {
  if (isUsersOwn(layer.source)) return []
  const places = jsonPlaces(layer.text ?? '{}')
  return Object.keys(layer.raw).flatMap((key) => {
    if (key === '$schema') return []
    const where = rulePlaceOf(layer.file, places.get(JSON.stringify([key]))?.line ?? null, context)
    const known: FileSetting | null = isFileSetting(key) ? fileSettings[key] : null
    if (known !== null)
      return known.files.includes(layer.source)
        ? []
        : `${where}: "${key}" is ignored: a repository must not bring it. It counts in your own settings.`
    return Object.hasOwn(settings.shape, key)
      ? `${where}: "${key}" is ignored: it counts only in Troupe's own settings file.`
      : `${where}: "${key}" is unknown to Troupe, so it has no effect.`
  })
}
