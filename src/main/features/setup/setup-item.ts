/** What all kinds of items of the user's setup share: what they are made from, and how they are told. */
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Hooks } from '../../../shared/hooks/contract.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { McpServers } from '../../../shared/mcp/contract.ts'
import type { SetupItem } from '../../../shared/setup/setup.ts'
import type { SlashCommands } from '../../../shared/slash/slash-command.ts'
import type { CommandEnvironment } from '../../platform/shell/command-environment.ts'
import type { DefinitionSource, MemorySource, SkillSource } from '../../runtime/ports/definitions.ts'
import type { InstalledPlugins } from '../plugins/installed-plugins.ts'
import type { SettingsLayerReader } from '../settings/settings-layers.ts'

export interface SetupParts {
  readonly home: string
  readonly dataFolder: string
  readonly isTrusted: (folder: string) => boolean
  /** The administrator's settings files; by default those of this platform. */
  readonly managed?: readonly string[]
  readonly layered: {
    readonly layers: SettingsLayerReader
    /** `problems`: sentences that begin with the file. */
    permissions(folder: string): Promise<{ readonly problems: readonly string[] }>
  }
  readonly memory: MemorySource
  readonly definitions: DefinitionSource
  readonly skills: SkillSource
  readonly slash: SlashCommands
  readonly hooks: Hooks
  readonly mcp: McpServers
  readonly plugins: InstalledPlugins
  readonly pluginStyles: () => Promise<readonly string[]>
  /** The variables that commands get, and those that they don't. */
  readonly commandVariables: () => CommandEnvironment
}

/** Why a file of an untrusted project does not count. */
export const FOLDER_UNTRUSTED = 'The folder is not trusted, so nothing of it is read.'

/** `~/.claude/settings.json`, `.mcp.json`: with `/` on every platform. */
export function shownSetupPath(file: string, folder: string, home: string): string {
  const below = (base: string) => {
    const path = relative(base, file)
    return path === '' || path === '..' || path.startsWith(`..${sep}`) ? null : path.split(sep).join('/')
  }
  const inFolder = folder === home ? null : below(folder)
  const inHome = below(home)
  return inFolder ?? (inHome === null ? file : `~/${inHome}`)
}

interface ItemPlace extends Pick<SetupItem, 'group' | 'what'> {
  /** Absolute; null: no file. */
  readonly file: string | null
  /** 1 by default, and 0 for what stands in a file that another item counts. */
  readonly files?: number
  readonly isFolder?: boolean
}

export type ItemFindings = Pick<SetupItem, 'state' | 'details'> & { readonly notes?: readonly string[] }

export function itemOf(
  { group, what, file, files = 1, isFolder = files > 1 }: ItemPlace,
  { state, details, notes = [] }: ItemFindings,
  { folder, home }: { readonly folder: string; readonly home: string },
): SetupItem {
  const path = file === null ? '' : shownSetupPath(file, folder, home)
  const shown = files > 1 ? `${path}/ (${countOf(files, 'file')})` : path
  return { group, what, file, ...(isFolder && { isFolder }), files, shown, state, details, notes }
}

/** An item that has no effect, for this one reason. */
export const notUsed = (because: string): ItemFindings => ({
  state: 'not-used',
  details: because,
  notes: [because],
})

/** The state of something of which `used` parts have an effect, and of whose other parts `notes` tell. */
export const stateFor = (used: number, notes: readonly string[]): SetupItem['state'] =>
  notes.length === 0 ? 'used' : used === 0 ? 'not-used' : 'partly'

/** A folder of `.claude`: the user's or the project's. */
interface ClaudeFolder {
  readonly source: 'user' | 'project'
  /** Absolute. */
  readonly path: string
}

/**
 * The items for `.claude/<name>` of the user and of the project.
 * @param kind `amount`: how many files or folders are there; none makes no item. `find` is asked only where the folder is
 *   trusted.
 */
export async function claudeFolderItems(
  folder: string,
  { home, isTrusted }: Pick<SetupParts, 'home' | 'isTrusted'>,
  kind: {
    readonly name: string
    readonly what: string
    readonly amount: (place: ClaudeFolder) => Promise<number>
    readonly find: (place: ClaudeFolder) => Promise<ItemFindings>
  },
): Promise<readonly SetupItem[]> {
  const places: readonly ClaudeFolder[] = [
    { source: 'user', path: join(home, '.claude', kind.name) },
    ...(folder === home ? [] : [{ source: 'project' as const, path: join(folder, '.claude', kind.name) }]),
  ]
  const items = await Promise.all(
    places.map(async (place) => {
      const files = await kind.amount(place)
      if (files === 0) return []
      const isHidden = place.source === 'project' && !isTrusted(folder)
      const findings = isHidden ? notUsed(FOLDER_UNTRUSTED) : await kind.find(place)
      const item = { group: place.source, what: kind.what, file: place.path, files, isFolder: true }
      return [itemOf(item, findings, { folder, home })]
    }),
  )
  return items.flat()
}

/** The markdown files below a folder, relative to it and in order; none if there is no such folder. */
export async function markdownIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  return names.filter((name) => /\.md$/i.test(name)).sort()
}
