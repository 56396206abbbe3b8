/** Reads the settings files that people have, as layers; see src/shared/settings/settings-layers.ts. */

import { join } from 'node:path'
import { sentence } from '../../../shared/kernel/result.ts'
import {
  type BrokenLayer,
  type SettingsLayer,
  type SettingsLayers,
  type SettingsSource,
  settingsSources,
} from '../../../shared/settings/settings-layers.ts'
import { fileVersion } from '../../platform/system/file-version.ts'
import { readSettingsFile, type SettingsFileContent } from './settings-file.ts'

interface SettingsLayersOptions {
  readonly dataFolder: string
  readonly home: string
  /** The administrator's files, the strongest first. */
  readonly managed: readonly string[]
  /** Settings of the command line, for this run. */
  readonly commandLine?: Readonly<Record<string, unknown>>
}

export interface SettingsLayerReader {
  /** A changed file is read again. Nothing of the folder is read while it is not trusted. */
  read(folder: string, options: { readonly trusted: boolean }): Promise<SettingsLayers>
  /** The paths that are read, also of files that don't exist. */
  files(folder: string, options: { readonly trusted: boolean }): SettingsPaths
}

type SettingsPaths = Readonly<Record<SettingsSource, readonly string[]>>

export function createSettingsLayers(options: SettingsLayersOptions): SettingsLayerReader {
  const { dataFolder, home, managed, commandLine } = options
  const readFile = cachedReader()
  const pathsOf: SettingsLayerReader['files'] = (folder, { trusted }) => ({
    managed,
    'command-line': [],
    local: trusted ? [join(folder, '.claude', 'settings.local.json')] : [],
    project: trusted ? [join(folder, '.claude', 'settings.json')] : [],
    own: [join(dataFolder, 'settings.json')],
    user: [join(home, '.claude', 'settings.json')],
  })
  return {
    files: pathsOf,
    async read(folder, { trusted }) {
      const files = pathsOf(folder, { trusted })
      const layers: SettingsLayer[] = []
      const problems: BrokenLayer[] = []
      for (const source of settingsSources) {
        if (source === 'command-line' && commandLine !== undefined)
          layers.push({ source, file: null, raw: commandLine })
        for (const file of files[source]) {
          const read = await readFile(file)
          if (read.kind === 'whole') layers.push({ source, file, raw: read.raw, text: read.text })
          if (read.kind === 'broken')
            problems.push({
              ...{ source, file, text: read.text },
              message: `${file} can't be read and doesn't apply: ${sentence(read.reason)}`,
            })
        }
      }
      return { layers, problems }
    },
  }
}

/** Reads a file only if it changed since the last call: permissions are read at each tool call. */
function cachedReader(): (file: string) => Promise<SettingsFileContent> {
  const known = new Map<string, { readonly version: string; readonly read: Promise<SettingsFileContent> }>()
  return (file) => {
    const version = fileVersion(file)
    const before = known.get(file)
    if (before?.version === version) return before.read
    const read = version === '' ? Promise.resolve({ kind: 'missing' } as const) : readSettingsFile(file)
    known.set(file, { version, read })
    return read
  }
}
