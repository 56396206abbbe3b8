/** Composes the settings files of all layers with what the program needs from them. */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FolderRules, RefusedEntry, WrittenRule } from '../shared/written-rule.ts'
import type { Git } from './adapters/git/git-client.ts'
import { ignoredKeys } from './adapters/settings/ignored-keys.ts'
import { managedSettingsFiles } from './adapters/settings/managed-settings.ts'
import { type LayerPermissions, layerPermissions } from './adapters/settings/permission-settings.ts'
import {
  createSettingsLayers,
  fileVersion,
  type SettingsLayerReader,
} from './adapters/settings/settings-layers.ts'

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
}

export function composeSettings(options: {
  readonly dataFolder: string
  readonly home: string
  readonly isTrusted: (folder: string) => boolean
  readonly git: Git
  /** The administrator's files; by default those of this platform. */
  readonly managed?: readonly string[]
}): ComposedSettings {
  const { dataFolder, home, isTrusted, git, managed = managedSettingsFiles(process.platform) } = options
  const layers = createSettingsLayers({ dataFolder, home, managed })
  const isOwn = ownLocalFile(git)
  return {
    layers,
    async permissions(folder) {
      const read = await layers.read(folder, { trusted: isTrusted(folder) })
      const found: LayerPermissions[] = []
      for (const layer of read.layers) {
        const refused = layer.source === 'local' && layer.file !== null ? await isOwn(layer.file) : null
        const because =
          layer.source === 'project' ? "a project's settings can't loosen permissions" : (refused ?? '')
        const context = { home, folder, mayLoosen: because === '', because }
        found.push(layerPermissions(layer, context))
      }
      return {
        deny: found.flatMap(({ deny }) => deny),
        ask: found.flatMap(({ ask }) => ask),
        allow: found.flatMap(({ allow }) => allow),
        additionalDirectories: found.flatMap((one) => one.additionalDirectories),
        folders: found.flatMap(({ folders }) => folders),
        refused: found.flatMap(({ refused }) => refused),
        broken: read.problems.map(({ file }) => file),
        mistakes: [
          ...read.problems.map(({ message }) => message),
          ...found.flatMap(({ mistakes }) => mistakes),
        ],
        problems: [
          ...read.problems.map(({ message }) => message),
          ...read.layers.flatMap((layer) => ignoredKeys(layer, { home, folder })),
          ...found.flatMap(({ problems }) => problems),
        ],
      }
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
