/** Reads the settings files that people have, as layers; see src/shared/settings-layers.ts. */
import { join } from 'node:path'
import { type SettingsLayer, type SettingsLayers, settingsSources } from '../../../shared/settings-layers.ts'
import { readSettingsFile } from './settings-file.ts'

export interface SettingsLayersOptions {
  readonly dataFolder: string
  readonly home: string
  /** The administrator's files, the strongest first. */
  readonly managed: readonly string[]
  /** Settings of the command line, for this run. */
  readonly commandLine?: Readonly<Record<string, unknown>>
}

export interface SettingsLayerReader {
  /** Read again at each call. Nothing of the folder is read while it is not trusted. */
  read(folder: string, options: { readonly trusted: boolean }): Promise<SettingsLayers>
}

export function createSettingsLayers(options: SettingsLayersOptions): SettingsLayerReader {
  const { dataFolder, home, managed, commandLine } = options
  return {
    async read(folder, { trusted }) {
      const files = {
        managed,
        'command-line': [],
        local: trusted ? [join(folder, '.claude', 'settings.local.json')] : [],
        project: trusted ? [join(folder, '.claude', 'settings.json')] : [],
        user: [join(home, '.claude', 'settings.json')],
        own: [join(dataFolder, 'settings.json')],
      }
      const layers: SettingsLayer[] = []
      const problems: { file: string; message: string }[] = []
      for (const source of settingsSources) {
        if (source === 'command-line' && commandLine !== undefined)
          layers.push({ source, file: null, raw: commandLine })
        for (const file of files[source]) {
          const read = await readSettingsFile(file)
          if (read.kind === 'whole') layers.push({ source, file, raw: read.raw })
          if (read.kind === 'broken')
            problems.push({ file, message: `${file} can't be read and doesn't apply: ${read.reason}.` })
        }
      }
      return { layers, problems }
    },
  }
}

/** The administrator's settings files of a platform. */
export function managedSettingsFiles(platform: NodeJS.Platform): readonly string[] {
  switch (platform) {
    case 'darwin':
      return [
        '/Library/Application Support/Troupe/settings.json',
        '/Library/Application Support/ClaudeCode/managed-settings.json',
      ]
    case 'win32':
      return [
        'C:\\Program Files\\Troupe\\settings.json',
        'C:\\Program Files\\ClaudeCode\\managed-settings.json',
      ]
    default:
      return ['/etc/troupe/settings.json', '/etc/claude-code/managed-settings.json']
  }
}
