/** Command files: `.claude/commands/**.md` of the project, then of the user, then `commands/**.md` of enabled plugins. */
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { readCommandFile } from '../../../shared/slash/command-file.ts'
import { isSlashName } from '../../../shared/slash/slash-line.ts'
import type { CommandSource, FoundCommand } from '../../runtime/command-source.ts'
import { projectFolders } from '../definitions/agent-folders.ts'
import { readPlugin } from '../definitions/plugin-folders.ts'
import { versionOf } from '../system/file-stat.ts'
import { isBelow, readPlainFile } from '../system/plain-text.ts'

export interface CommandFilesOptions {
  readonly home: string
  /** The folders of the enabled plugins, read on each list. */
  readonly plugins?: () => readonly string[]
}

interface CommandsFolder {
  readonly source: 'project' | 'user' | 'plugin'
  /** The prefix of the names, with the colon, or empty. */
  readonly prefix: string
  readonly path: string
  /** The real folder that links must not leave; null: `path` itself. */
  readonly within: string | null
}

/** Folders below `commands`. */
const DEEPEST = 5
const MOST_FILES = 500

export function createCommandFiles({ home, plugins = () => [] }: CommandFilesOptions): CommandSource {
  const known = new Map<string, { readonly version: string; readonly found: FoundCommand }>()

  async function foldersOf(folder: string, trusted: boolean): Promise<readonly CommandsFolder[]> {
    const project = trusted ? await projectFolders(folder, home) : { root: folder, folders: [] }
    const found = await Promise.all(plugins().map(readPlugin))
    const pathIn = (base: string) => join(base, '.claude', 'commands')
    return [
      ...project.folders.map((base) => {
        return { source: 'project' as const, prefix: '', path: pathIn(base), within: project.root }
      }),
      { source: 'user', prefix: '', path: pathIn(home), within: null },
      ...found.flatMap(({ plugin }) =>
        plugin === null
          ? []
          : [
              {
                source: 'plugin' as const,
                prefix: `${plugin.name}:`,
                path: join(plugin.root, 'commands'),
                within: plugin.root,
              },
            ],
      ),
    ]
  }

  async function read(folder: CommandsFolder, real: string, below: string): Promise<FoundCommand | null> {
    const file = join(real, below)
    const version = await versionOf(file)
    if (version === null) return null
    const before = known.get(file)
    if (before?.version === version) return before.found
    const name = folder.prefix + below.replace(/\.md$/i, '').split(/[/\\]/).join(':')
    const found = await readCommand({ name, source: folder.source, file, real })
    known.set(file, { version, found })
    return found
  }

  return {
    async list(folder, { trusted }) {
      const byName = new Map<string, FoundCommand>()
      for (const each of await foldersOf(folder, trusted)) {
        const real = await realpath(each.path).catch(() => null)
        if (real === null || (each.within !== null && !isBelow(each.within, real))) continue
        const files = await markdownIn(real)
        for (const found of await Promise.all(files.map((below) => read(each, real, below))))
          if (found !== null && !byName.has(found.info.name)) byName.set(found.info.name, found)
      }
      return [...byName.values()]
    },
  }
}

interface NamedFile {
  readonly name: string
  readonly source: CommandsFolder['source']
  readonly file: string
  /** The real folder that the file must be in. */
  readonly real: string
}

async function readCommand({ name, source, file, real }: NamedFile): Promise<FoundCommand> {
  const info = { name, source, file, description: '', argumentHint: '' }
  const wrong = (problem: string): FoundCommand => ({ info: { ...info, problem }, command: null })
  if (!isSlashName(name))
    return wrong(`${file}: its name can have only letters, digits, "-", "_" and ".". Rename the file.`)
  const text = await readPlainFile(file, real)
  if (text.kind === 'unread') return wrong(`${file}: ${text.message}`)
  const result = readCommandFile(text.text)
  if (result.kind === 'wrong') return wrong(`${file}:${result.line}: ${result.message}`)
  const { description, argumentHint } = result.command
  return { info: { ...info, description, argumentHint, problem: null }, command: result.command }
}

/** The paths of markdown files below a folder, sorted. Folders behind links are not entered. */
async function markdownIn(folder: string): Promise<readonly string[]> {
  const files: string[] = []
  const walk = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => [])
    for (const entry of entries.toSorted((one, two) => (one.name < two.name ? -1 : 1))) {
      if (files.length >= MOST_FILES) return
      const path = join(below, entry.name)
      if (entry.isDirectory()) {
        if (depth < DEEPEST && !entry.name.startsWith('.')) await walk(path, depth + 1)
      } else if (/\.md$/i.test(entry.name)) files.push(path)
    }
  }
  await walk('', 0)
  return files
}
