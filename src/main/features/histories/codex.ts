/**
 * Finds the conversations of Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, and those that were put away
 * in `archived_sessions`. A subagent has a file of its own, whose first line names its parent. The oldest form is one value
 * of JSON.
 */
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { CodexConversion } from './codex-conversion.ts'
import { codexLine, isCodexPrompt } from './codex-lines.ts'
import { codexLogs } from './codex-logs.ts'
import { familiesOf } from './history-families.ts'
import {
  agentFiles,
  type Finding,
  type FoundHistory,
  foundIn,
  glanceAt,
  type HistoryFile,
  type HistoryFormat,
} from './history-format.ts'
import {
  canUnpack,
  isPacked,
  type JsonObject,
  listIn,
  objectIn,
  objectOfLine,
  promptTitle,
  stringIn,
  textOfBlocks,
  timeIn,
  wholeLines,
} from './history-lines.ts'

export const codexHistories: HistoryFormat = {
  program: 'codex',
  place: (home, variables) => join(variables['CODEX_HOME'] || join(home, '.codex'), 'sessions'),
  find: findConversations,
  convert: (found, book) => new CodexConversion(found, book).run(),
  // Only the whole of a compressed rollout can be searched.
  searched: async (found, id) =>
    found.files.some(({ path }) => isPacked(path)) ? { paths: [] } : { logs: codexLogs(found, id) },
}

/** A session as its first lines tell it. */
interface Session {
  readonly file: HistoryFile
  readonly notes: JsonObject
}

async function findConversations(finding: Finding): Promise<readonly FoundHistory[]> {
  const archive = join(dirname(finding.place), 'archived_sessions')
  const paths = [...(await rolloutsIn(finding.place)), ...(await rolloutsIn(archive))]
  const packed = paths.filter((path) => !canUnpack(path)).length
  if (packed > 0)
    finding.onProblem(
      `Compressed conversations of Codex are not read: ${packed} in ${finding.place}. They need Node 22.15 or newer.`,
    )
  const sessions = new Map<string, Session>()
  for (const path of paths.filter(canUnpack)) {
    const session = await glanceAt(path, finding, (file, before) => glance(file, before, finding))
    const id = stringIn(session?.notes['id']) || basename(path)
    // The same session in the archive is a copy.
    if (session !== null && stringIn(session.notes['prompt']) !== '' && !sessions.has(id))
      sessions.set(id, session)
  }
  const names = await namesOfThreads(join(dirname(finding.place), 'session_index.jsonl'))
  const parents = new Map([...sessions].map(([id, { notes }]) => [id, stringIn(notes['parent'])]))
  return familiesOf(parents).map((ids) =>
    foundOf(
      ids.flatMap((id) => sessions.get(id) ?? []),
      names,
    ),
  )
}

async function rolloutsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => [])
  return entries
    .filter((name) => /^rollout-.+\.(jsonl?|jsonl\.zst|jsonl\.gz)$/.test(basename(name)))
    .sort()
    .map((name) => join(folder, name))
}

/** The beginning of a file: it is read until the first prompt, and not again once that is known. */
async function glance(
  file: HistoryFile,
  before: JsonObject | null,
  { breathe }: Finding,
): Promise<JsonObject> {
  if (before !== null && stringIn(before['prompt']) !== '') return before
  const notes: Record<string, unknown> = {}
  if (file.path.endsWith('.json')) {
    const whole = objectIn(jsonOrUndefined(await readFile(file.path, 'utf8')))
    note(notes, { ...objectIn(whole['session']) })
    for (const item of listIn(whole['items'])) note(notes, objectIn(item))
    return notes
  }
  for await (const { lines } of wholeLines(file.path, { breathe })) {
    for (const line of lines) {
      const value = objectOfLine(line)
      if (value !== null) note(notes, value)
      if (notes['prompt'] !== undefined) return notes
    }
  }
  return notes
}

function note(notes: Record<string, unknown>, value: JsonObject): void {
  const { kind, payload, at } = codexLine(value)
  if (at !== null) notes['createdAt'] ??= at
  if (kind === 'session_meta' && notes['id'] === undefined) {
    const spawn = objectIn(objectIn(objectIn(payload['source'])['subagent'])['thread_spawn'])
    notes['id'] = stringIn(payload['id'])
    notes['cwd'] = stringIn(payload['cwd'])
    notes['createdAt'] = timeIn(payload['timestamp']) ?? at ?? undefined
    notes['parent'] = stringIn(spawn['parent_thread_id']) || stringIn(payload['parent_thread_id'])
    notes['role'] = stringIn(spawn['agent_role']) || stringIn(payload['agent_role'])
  }
  if (stringIn(notes['cwd']) === '' && kind === 'turn_context') notes['cwd'] = stringIn(payload['cwd'])
  const text =
    kind === 'event_msg' && payload['type'] === 'user_message'
      ? stringIn(payload['message'])
      : kind === 'response_item' && payload['role'] === 'user'
        ? textOfBlocks(payload['content'])
        : ''
  if (stringIn(notes['cwd']) === '') {
    const told = /<cwd>([^<]+)<\/cwd>/.exec(text)?.[1]
    if (told !== undefined) notes['cwd'] = told
  }
  if (isCodexPrompt(text)) notes['prompt'] ??= text.trim().slice(0, 500)
}

function foundOf(family: readonly Session[], names: ReadonlyMap<string, string>): FoundHistory {
  const [{ notes }] = family as readonly [Session, ...Session[]]
  const session = stringIn(notes['id'])
  const files = family.map(({ file }) => file)
  const updatedAt = Math.max(...files.map(({ mtimeMs }) => mtimeMs))
  return {
    ...{ session, ...foundIn(files, { createdAt: notes['createdAt'], updatedAt }) },
    files: agentFiles(family, ({ file: { path }, notes: own }) => ({
      ...{ path, key: stringIn(own['id']) || basename(path) },
      name: stringIn(own['role']) || 'agent',
    })),
    title: names.get(session) || promptTitle(stringIn(notes['prompt'])),
    folder: stringIn(notes['cwd']),
    agents: files.length,
  }
}

/** The names that the user or a model gave conversations; the last one of each counts. */
async function namesOfThreads(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const values = text.split('\n').map((line) => objectIn(jsonOrUndefined(line)))
  return new Map(values.map((value) => [stringIn(value['id']), stringIn(value['thread_name'])]))
}
