/** What begins with a slash, and command files: `.claude/commands/**.md` of the project, then of the user, then `commands/**.md` of enabled plugins. */

import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { readCommandFile } from '../../../shared/slash/command-file.ts'
import type { SlashCommands } from '../../../shared/slash/slash-command.ts'
import { isSlashName } from '../../../shared/slash/slash-line.ts'
import type { SeenTexts } from '../../platform/approvals/seen-texts.ts'
import { fileVersionOf } from '../../platform/system/file-stat.ts'
import { isBelow, type PlainFile, readPlainFile } from '../../platform/system/plain-text.ts'
import type { CommandSource, FoundCommand } from '../../runtime/ports/definitions.ts'
import type { Ports } from '../../runtime/ports/ports.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { createSlashCommands } from '../../runtime/slash/create-slash-commands.ts'
import { projectFolders } from '../definitions/agent-folders.ts'
import { readPlugin } from '../definitions/plugin-folders.ts'
import type { ComposedMcp } from '../mcp/feature.ts'

interface ComposeSlashOptions {
  readonly commands: CommandSource
  readonly ports: Ports
  readonly mcp: ComposedMcp
  readonly runtime: Pick<Runtime, 'state' | 'snapshot'>
  /** The mode of a new conversation. */
  readonly newMode: () => PermissionMode
}

export function composeSlash({ commands, ports, mcp, runtime, newMode }: ComposeSlashOptions): SlashCommands {
  return createSlashCommands({
    ...ports,
    commands,
    mcp: mcp.servers,
    serverTools: mcp.serverTools,
    newMode,
    async agentState({ conversationId, agentId }) {
      const snapshot = await runtime.snapshot(conversationId)
      if (!snapshot.ok) return null
      const wanted = agentId ?? snapshot.value.record.mainAgentId
      return snapshot.value.agents.find(({ id }) => id === wanted) ?? null
    },
  })
}

/** Answers the window, which shows the shell commands of a line before it allows them. */
export function slashHandlers(slash: SlashCommands): HandlersOf<'slash'> {
  return {
    'slash.list': async ({ folder }) => ok(await slash.list(folder)),
    'slash.expand': async (request) => {
      const expanded = await slash.expand(request, new AbortController().signal)
      if (expanded.ok) return ok({ kind: 'expanded', command: expanded.value })
      const { type, message, commands = [] } = expanded.failure
      return type === 'needs-permission' ? ok({ kind: type, commands }) : fail({ type, message })
    },
  }
}

interface CommandFilesOptions {
  readonly home: string
  /** The folders of the enabled plugins, read on each list. */
  readonly plugins?: () => readonly string[]
  /** Missing: every text of a trusted project counts. */
  readonly texts?: Pick<SeenTexts, 'begin' | 'told'>
}

interface CommandsFolder {
  readonly source: 'project' | 'user' | 'plugin'
  /** The prefix of the names, with the colon, or empty. */
  readonly prefix: string
  readonly path: string
  /** Of a single file: the command's name. */
  readonly name: string | null
  /** The real folder that links must not leave; null: `path` itself. */
  readonly within: string | null
  /** The project's top folder. */
  readonly root: string
}

/** Folders below `commands`. */
const DEEPEST = 5
const MOST_FILES = 500

export function createCommandFiles({ home, plugins = () => [], texts }: CommandFilesOptions): CommandSource {
  const known = new Map<string, { readonly version: string; readonly read: PlainFile }>()

  async function foldersOf(folder: string, trusted: boolean): Promise<readonly CommandsFolder[]> {
    const project = trusted ? await projectFolders(folder, home) : { root: folder, folders: [] }
    const { root } = project
    if (trusted) await texts?.begin(root)
    const found = await Promise.all(plugins().map(readPlugin))
    const pathIn = (base: string) => join(base, '.claude', 'commands')
    return [
      ...project.folders.map((base) => {
        return { source: 'project' as const, prefix: '', name: null, path: pathIn(base), within: root, root }
      }),
      { source: 'user', prefix: '', name: null, path: pathIn(home), within: null, root },
      ...found.flatMap(({ plugin }) =>
        (plugin?.commands ?? []).map(({ path, name }) => {
          const prefix = `${plugin?.name}:`
          return { source: 'plugin' as const, prefix, name, path, within: plugin?.root ?? null, root }
        }),
      ),
    ]
  }

  async function read(folder: CommandsFolder, real: string, below: string): Promise<FoundCommand | null> {
    const file = join(real, below)
    const version = await fileVersionOf(file)
    if (version === null) return null
    const before = known.get(file)
    const content = before?.version === version ? before.read : await readPlainFile(file, real)
    known.set(file, { version, read: content })
    const name = folder.prefix + (folder.name ?? below.replace(/\.md$/i, '').split(/[/\\]/).join(':'))
    const { source, root } = folder
    const counts =
      content.kind === 'text' && source === 'project' && texts
        ? await texts.told(root, { path: file, text: content.text })
        : undefined
    return readCommand({ name, source, file }, content, counts)
  }

  return {
    async list(folder, { trusted }) {
      const byName = new Map<string, FoundCommand>()
      for (const each of await foldersOf(folder, trusted)) {
        const real = await realpath(each.path).catch(() => null)
        if (real === null || (each.within !== null && !isBelow(each.within, real))) continue
        const isFile = /\.md$/i.test(real)
        const files = isFile ? [basename(real)] : await markdownIn(real)
        const top = isFile ? dirname(real) : real
        for (const found of await Promise.all(files.map((below) => read(each, top, below))))
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
}

/** @param counts the text that counts instead of the file's; null: none; missing: the file's */
function readCommand(
  { name, source, file }: NamedFile,
  content: PlainFile,
  counts: string | null | undefined,
): FoundCommand {
  const info = { name, source, file, description: '', argumentHint: '' }
  const wrong = (problem: string): FoundCommand => ({ info: { ...info, problem }, command: null })
  if (!isSlashName(name))
    return wrong(`${file}: its name can have only letters, digits, "-", "_" and ".". Rename the file.`)
  if (content.kind === 'unread') return wrong(`${file}: ${content.message}`)
  if (counts === null)
    return wrong(
      `${file} came after you trusted the folder. See it and approve it in Settings › Permissions, or with "troupe permissions approve".`,
    )
  const result = readCommandFile(counts ?? content.text)
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
