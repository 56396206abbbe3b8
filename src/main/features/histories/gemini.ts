/**
 * Conversations of Gemini CLI: `tmp/<project>/chats/session-….json`, newer ones `.jsonl`, whose lines add, replace and take
 * back messages; those of subagents are in a folder named after the session. Where only `logs.json` is left, it has the
 * user's messages.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { GeminiConversion } from './gemini-conversion.ts'
import { geminiSession } from './gemini-session.ts'
import {
  agentFiles,
  type Finding,
  type FoundHistory,
  folderNames,
  foundIn,
  glanceAt,
  type HistoryFile,
  type HistoryFormat,
  stateOf,
} from './history-format.ts'
import {
  type JsonObject,
  listIn,
  numberIn,
  objectIn,
  promptTitle,
  stringIn,
  textOfBlocks,
  timeIn,
} from './history-lines.ts'

export const geminiHistories: HistoryFormat = {
  program: 'gemini',
  place: (home, variables) => join(variables['GEMINI_CLI_HOME'] || home, '.gemini', 'tmp'),
  find: findConversations,
  convert: (found, book) => new GeminiConversion(found, book).run(),
  searched: async ({ files }) => ({ paths: files.map(({ path }) => path) }),
}

async function findConversations(finding: Finding): Promise<readonly FoundHistory[]> {
  const folders = await foldersOf(finding)
  const found: FoundHistory[] = []
  for (const project of await folderNames(finding.place, finding)) {
    const top = join(finding.place, project)
    const root = (await readFile(join(top, '.project_root'), 'utf8').catch(() => '')).trim()
    const folder = root || folders.get(project) || ''
    const chats = await inChats(join(top, 'chats'), { folder, finding })
    found.push(...chats, ...(await inLogs(join(top, 'logs.json'), { folder, finding, chats })))
  }
  return found
}

/** The folder of a project, by the name or the digest under which its conversations are kept. */
async function foldersOf({ place, folders }: Finding): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(dirname(place), 'projects.json'), 'utf8').catch(() => '')
  const named = Object.entries(objectIn(objectIn(jsonOrUndefined(text))['projects']))
  const paths = [...new Set([...folders, ...named.map(([path]) => path)])]
  return new Map([
    ...paths.map((path) => [createHash('sha256').update(path).digest('hex'), path] as const),
    ...named.map(([path, name]) => [stringIn(name), path] as const),
  ])
}

interface InProject {
  readonly folder: string
  readonly finding: Finding
}

async function inChats(chats: string, { folder, finding }: InProject): Promise<readonly FoundHistory[]> {
  const found: FoundHistory[] = []
  for (const name of await folderNames(chats, finding)) {
    if (!/^session-.+\.jsonl?$/.test(name)) continue
    const seen = await glanceAt(join(chats, name), finding, (file) => glance(file, finding))
    if (seen === null || stringIn(seen.notes['prompt']) === '' || seen.notes['kind'] === 'subagent') continue
    const session = stringIn(seen.notes['session'])
    const own = session === '' ? [] : await filesIn(join(chats, session))
    found.push(foundOf({ notes: seen.notes, folder, session, files: [seen.file, ...own] }))
  }
  return found
}

async function filesIn(folder: string): Promise<readonly HistoryFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.jsonl?$/.test(name)).sort()
  const files = await Promise.all(names.map((name) => stateOf(join(folder, name))))
  return files.filter((file) => file !== null)
}

async function glance(file: HistoryFile, { breathe }: Finding): Promise<JsonObject> {
  const { about, messages } = await geminiSession(file.path, breathe)
  const texts = messages.flatMap((message) =>
    message['type'] === 'user' ? [textOfBlocks(message['content'])] : [],
  )
  return {
    session: stringIn(about['sessionId']),
    kind: stringIn(about['kind']),
    summary: stringIn(about['summary']),
    createdAt: timeIn(about['startTime']) ?? undefined,
    updatedAt: timeIn(messages.at(-1)?.['timestamp']) ?? timeIn(about['lastUpdated']) ?? undefined,
    // A command of the program itself is no title.
    prompt: (texts.find((text) => text.trim() !== '' && !/^[/?]/.test(text)) ?? texts[0] ?? '')
      .trim()
      .slice(0, 500),
    calls: messages.flatMap((message) =>
      listIn(message['toolCalls']).filter((call) => stringIn(objectIn(call)['agentId']) !== ''),
    ).length,
  }
}

/** Sessions of which only the user's messages are left. */
async function inLogs(
  path: string,
  { folder, finding, chats }: InProject & { readonly chats: readonly FoundHistory[] },
): Promise<readonly FoundHistory[]> {
  const seen = await glanceAt(path, finding, async () => {
    const entries = listIn(jsonOrUndefined(await readFile(path, 'utf8'))).map(objectIn)
    const sessions: Record<string, JsonObject> = {}
    for (const { sessionId, message, timestamp } of entries) {
      const id = stringIn(sessionId)
      const before = sessions[id]
      if (id === '' || stringIn(message) === '') continue
      sessions[id] = {
        prompt: before?.['prompt'] ?? stringIn(message).slice(0, 500),
        createdAt: before?.['createdAt'] ?? timeIn(timestamp) ?? undefined,
        updatedAt: timeIn(timestamp) ?? before?.['updatedAt'],
      }
    }
    return { sessions }
  })
  if (seen === null) return []
  const known = new Set(chats.map(({ session }) => session))
  return Object.entries(objectIn(seen.notes['sessions']))
    .filter(([session]) => !known.has(session))
    .map(([session, value]) => ({
      ...foundOf({ notes: objectIn(value), folder, session, files: [seen.file] }),
      source: `${path}#${session}`,
    }))
}

function foundOf({
  notes,
  folder,
  session,
  files,
}: {
  readonly notes: JsonObject
  readonly folder: string
  readonly session: string
  readonly files: readonly HistoryFile[]
}): FoundHistory {
  const { createdAt, updatedAt, calls } = notes
  const found = foundIn(files, { createdAt, updatedAt })
  return {
    ...{ ...found, session: session || basename(found.source), folder },
    files: agentFiles(files, ({ path }) => ({ path, key: basename(path).replace(/\.jsonl?$/, '') })),
    title: stringIn(notes['summary']) || promptTitle(stringIn(notes['prompt'])),
    agents: Math.max(files.length, 1 + numberIn(calls)),
  }
}
