/** Conversations of opencode, from its files and its database, with those of its subagents as agents. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolDisplay, Usage } from '../../../shared/events/agent-event.ts'
import type { HistoryAgent } from './history-agent.ts'
import type { HistoryBook } from './history-book.ts'
import { familiesOf } from './history-families.ts'
import { agentFiles, type Finding, type FoundHistory, type HistoryFormat } from './history-format.ts'
import {
  type JsonObject,
  numberIn,
  objectIn,
  promptTitle,
  stringIn,
  timeIn,
  wordSet,
} from './history-lines.ts'
import { patchDisplay, todosDisplay, unreadable, userBlocks } from './history-parts.ts'
import type { StartedBy } from './history-said.ts'
import { messagesInDatabase, sessionsInDatabase } from './opencode-database.ts'
import {
  messagesInFiles,
  type OpencodeMessage,
  type OpencodeSession,
  partFolders,
  sessionsInFiles,
} from './opencode-files.ts'

export const opencodeHistories: HistoryFormat = {
  program: 'opencode',
  place: (home, variables) => join(variables['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'opencode'),
  find: findConversations,
  convert: (found, book) => new OpencodeConversion(found, book).run(),
  searched: async ({ files }) => {
    const paths = (await Promise.all(files.map(({ path }) => pathsAt(path)))).flat()
    return { paths: paths.length > MOST_PATHS ? [] : paths }
  },
}

async function findConversations(finding: Finding): Promise<readonly FoundHistory[]> {
  const { place } = finding
  const names = (await readdir(place).catch(() => [])).sort()
  const projects = await readdir(join(place, 'project')).catch(() => [])
  const sessions = new Map<string, OpencodeSession>()
  // What was moved into the database counts there.
  for (const name of names.filter((one) => /^opencode.*\.db$/.test(one))) {
    const found = await sessionsInDatabase(join(place, name), finding).catch((error: unknown) => {
      finding.onProblem(unreadable(join(place, name), error))
      return []
    })
    for (const session of found) if (!sessions.has(session.id)) sessions.set(session.id, session)
  }
  for (const storage of [place, ...projects.map((name) => join(place, 'project', name))])
    for (const session of await sessionsInFiles(join(storage, 'storage'), finding))
      if (!sessions.has(session.id)) sessions.set(session.id, session)
  const parents = new Map([...sessions].map(([id, { parent }]) => [id, parent]))
  return familiesOf(parents).map((ids) => foundOf(ids.flatMap((id) => sessions.get(id) ?? [])))
}

function foundOf(family: readonly OpencodeSession[]): FoundHistory {
  const [main] = family as readonly [OpencodeSession, ...OpencodeSession[]]
  return {
    ...{ source: main.source, session: main.id, title: main.title, folder: main.folder },
    createdAt: main.createdAt,
    updatedAt: Math.max(...family.map(({ updatedAt }) => updatedAt)),
    stamp: family.map(({ stamp }) => stamp).join('|'),
    // A file for each part: to measure them would take longer than to read most of them.
    bytes: 0,
    agents: family.length,
    files: agentFiles(family, ({ id, store }) => ({ path: `${store}#${id}`, key: id })),
  }
}

function sessionAt(path: string): { readonly store: string; readonly id: string } {
  const at = path.lastIndexOf('#')
  return { store: path.slice(0, at), id: path.slice(at + 1) }
}

/** What has the texts of a session: the database, or a folder for each message. */
async function pathsAt(path: string): Promise<readonly string[]> {
  const { store, id } = sessionAt(path)
  return store.endsWith('.db') ? [store] : partFolders({ store, id })
}

/** More can’t be named to ripgrep. */
const MOST_PATHS = 2000

/** The call that started a subagent. */
interface Started extends StartedBy {
  readonly input: JsonObject
  readonly isError: boolean
}

class OpencodeConversion {
  private readonly found: FoundHistory
  private readonly book: HistoryBook
  private readonly started = new Map<string, Started>()

  constructor(found: FoundHistory, book: HistoryBook) {
    this.found = found
    this.book = book
  }

  async run(): Promise<void> {
    await this.book.each(this.found.files, async ({ path, key }) => {
      const { store, id } = sessionAt(path)
      const messages = store.endsWith('.db')
        ? await messagesInDatabase({ id, store })
        : await messagesInFiles({ id, store }, this.book.breathe)
      for (const message of messages) {
        this.message(message, key)
        await this.book.settle()
      }
      const started = this.started.get(key)
      const agent = this.book.agents().find(([one]) => one === key)?.[1]
      if (key !== '' && started) agent?.ended(null, { status: started.isError ? 'failed' : 'completed' })
    })
  }

  private agentFor(key: string, at: number | null): HistoryAgent | null {
    return this.book.agent(key, () => {
      const startedBy = this.started.get(key)
      return {
        type: stringIn(startedBy?.input['subagent_type']),
        task: stringIn(startedBy?.input['description']),
        ...{ startedBy, cwd: this.found.folder, at: at ?? this.found.createdAt },
      }
    })
  }

  private message({ message, parts }: OpencodeMessage, key: string): void {
    const at = timeIn(objectIn(message['time'])['created'])
    const agent = this.agentFor(key, at)
    if (agent === null) return
    if (message['role'] === 'user') this.prompt(agent, { message, parts }, at)
    else if (message['role'] === 'assistant') this.answer(agent, { message, parts }, { key, at })
    else this.book.skip('Messages that are no JSON, or of an unknown kind')
  }

  private prompt(agent: HistoryAgent, { message, parts }: OpencodeMessage, at: number | null): void {
    const own = parts.filter(({ synthetic, ignored }) => synthetic !== true && ignored !== true)
    const added = parts.filter((part) => part['synthetic'] === true && part['ignored'] !== true)
    const id = stringIn(message['id'])
    agent.told(at, userBlocks(own.flatMap(blocksOf)), { id })
    agent.told(at, userBlocks(added.flatMap(blocksOf)), { note: 'opencode added a note.' })
  }

  private answer(
    agent: HistoryAgent,
    { message, parts }: OpencodeMessage,
    { key, at }: { readonly key: string; readonly at: number | null },
  ): void {
    const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => stringIn(text))
    if (message['summary'] === true && texts.length > 0) {
      agent.compacted(at, texts.join('\n'))
      return
    }
    const { cost } = message
    const model = stringIn(message['modelID'])
    const said = {
      ...{ at, messageId: stringIn(message['id']) || null },
      ...(model !== '' && { model }),
      usage: usageIn(message['tokens']),
      ...(typeof cost === 'number' && cost >= 0 && { costUsd: cost }),
    }
    for (const part of parts) {
      const type = stringIn(part['type'])
      const text = stringIn(part['text'])
      const partAt = timeIn(objectIn(part['time'])['end']) ?? at
      if (type === 'text') {
        if (text !== '') agent.block({ type: 'text', text }, { ...said, at: partAt })
      } else if (type === 'reasoning') {
        if (text !== '')
          agent.block({ type: 'thinking', thinking: text, signature: '' }, { ...said, at: partAt })
      } else if (type === 'tool') this.tool(agent, part, { said, key })
      else if (!QUIET_PARTS.has(type)) this.book.skip(`Parts of the unknown kind “${type.slice(0, 40)}”`)
    }
    const failure = objectIn(message['error'])
    const reason = stringIn(objectIn(failure['data'])['message']) || stringIn(failure['name'])
    if (reason !== '') agent.notice(timeIn(objectIn(message['time'])['completed']), reason, 'error')
  }

  private tool(
    agent: HistoryAgent,
    part: JsonObject,
    { said, key }: { readonly said: Parameters<HistoryAgent['block']>[1]; readonly key: string },
  ): void {
    const state = objectIn(part['state'])
    const [id, name, time] = [
      stringIn(part['callID']) || stringIn(part['id']),
      stringIn(part['tool']),
      objectIn(state['time']),
    ]
    const input = objectIn(state['input'])
    agent.call(id, name === 'task' ? 'Agent' : name, input, { ...said, at: timeIn(time['start']) ?? said.at })
    const { status } = state
    const isError = status === 'error'
    const child =
      stringIn(objectIn(state['metadata'])['sessionId']) || stringIn(objectIn(state['metadata'])['sessionID'])
    const call = agent.callNamed(id)
    if (child !== '' && call) this.started.set(child, { parentKey: key, toolUseId: call.id, input, isError })
    if (status !== 'completed' && !isError) return
    agent.result(id, {
      ...{ at: timeIn(time['end']), content: stringIn(isError ? state['error'] : state['output']), isError },
      display: displayOfState(name, state),
    })
  }
}

/** Parts that show nothing. */
const QUIET_PARTS: ReadonlySet<string> = wordSet(`
  step-start step-finish snapshot patch agent retry compaction subtask file
`)

function blocksOf(part: JsonObject): readonly JsonObject[] {
  const { type, url, mime } = part
  if (type === 'text') return [{ type: 'text', text: part['text'] }]
  if (type === 'subtask')
    return [{ type: 'text', text: stringIn(part['prompt']) || stringIn(part['description']) }]
  if (type !== 'file') return []
  const data = /^data:[^,]*;base64,(.+)$/.exec(stringIn(url))?.[1]
  if (stringIn(mime).startsWith('image/') && data !== undefined)
    return [{ type: 'image', source: { type: 'base64', media_type: mime, data } }]
  return [{ type: 'text', text: `[${promptTitle(stringIn(part['filename']) || 'file')}]` }]
}

function usageIn(value: unknown): Usage {
  const tokens = objectIn(value)
  const cache = objectIn(tokens['cache'])
  return {
    input: numberIn(tokens['input']),
    output: numberIn(tokens['output']) + numberIn(tokens['reasoning']),
    cacheRead: numberIn(cache['read']),
    cacheWrite: numberIn(cache['write']),
  }
}

/** What the row shows of a call that has ended. */
function displayOfState(name: string, state: JsonObject): ToolDisplay | null {
  const metadata = objectIn(state['metadata'])
  const input = objectIn(state['input'])
  if (name === 'bash') {
    const code = metadata['exit']
    return { kind: 'terminal', exitCode: typeof code === 'number' ? Math.trunc(code) : null, timedOut: false }
  }
  if (name === 'todowrite') return todosDisplay(input['todos'])
  return patchDisplay(stringIn(input['filePath']), stringIn(metadata['diff']))
}
