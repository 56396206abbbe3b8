/**
 * Finds the conversations of Claude Code: `projects/<folder>/<session>.jsonl`, a line for each message, and a file for each
 * subagent (`<session>/subagents/agent-<id>.jsonl`; earlier `agent-<id>.jsonl` beside the session).
 */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { inParallel } from '../../platform/system/in-parallel.ts'
import { ClaudeConversion } from './claude-conversion.ts'
import { claudeLogs } from './claude-logs.ts'
import { typedWords } from './claude-words.ts'
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
  numberIn,
  objectIn,
  objectOfLine,
  promptTitle,
  stringIn,
  textOfBlocks,
  timeIn,
  wholeLines,
} from './history-lines.ts'

export const claudeHistories: HistoryFormat = {
  program: 'claude',
  place: (home, variables) => join(variables['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects'),
  find: findConversations,
  convert: (found, book) => new ClaudeConversion(found, book).run(),
  searched: async (found, id) => ({ logs: claudeLogs(found, id) }),
}

const FOLDERS_AT_ONCE = 8

async function findConversations(finding: Finding): Promise<readonly FoundHistory[]> {
  const folders = await folderNames(finding.place, finding)
  const found = await inParallel(folders, FOLDERS_AT_ONCE, (name) =>
    inProject(join(finding.place, name), finding),
  )
  return found.flat()
}

async function inProject(folder: string, finding: Finding): Promise<readonly FoundHistory[]> {
  const names = await folderNames(folder, finding)
  const loose = new Map<string, HistoryFile[]>()
  // Subagents of earlier versions are beside the sessions, and name their session in their first line.
  for (const name of names.filter(isAgentFile)) {
    const seen = await glanceAt(join(folder, name), finding, async ({ path }) => ({
      session: await sessionIn(path, finding),
    }))
    const session = stringIn(seen?.notes['session'])
    if (seen !== null) loose.set(session, [...(loose.get(session) ?? []), seen.file])
  }
  const found: FoundHistory[] = []
  for (const name of names) {
    if (!name.endsWith('.jsonl') || isAgentFile(name)) continue
    const seen = await glanceAt(join(folder, name), finding, (file, before) => glance(file, before, finding))
    if (seen === null || seen.notes['isEmpty'] === true) continue
    const { file: main, notes } = seen
    const session = name.slice(0, -'.jsonl'.length)
    const own = names.includes(session) ? await agentFilesIn(join(folder, session, 'subagents')) : []
    const files = [main, ...own, ...(loose.get(session) ?? [])]
    const { createdAt, updatedAt } = notes
    found.push({
      ...{ session, ...foundIn(files, { createdAt, updatedAt }) },
      files: agentFiles(files, ({ path }) => ({ path, key: AGENT.exec(path)?.[1] ?? path })),
      title: stringIn(notes['named']) || stringIn(notes['summary']) || promptTitle(stringIn(notes['prompt'])),
      folder: stringIn(notes['folder']),
      agents: 1 + Math.max(files.length - 1, numberIn(notes['calls'])),
    })
  }
  return found
}

/** Also in folders below, where runs of several agents are kept. */
async function agentFilesIn(folder: string): Promise<readonly HistoryFile[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const files = await inParallel(
    names.filter((name) => isAgentFile(basename(name))).sort(),
    FOLDERS_AT_ONCE,
    (name) => stateOf(join(folder, name)),
  )
  return files.filter((file) => file !== null)
}

const AGENT = /agent-([^/\\]+)\.jsonl$/

const isAgentFile = (name: string): boolean => /^agent-.+\.jsonl$/.test(name)

async function sessionIn(path: string, { breathe }: Finding): Promise<string> {
  for await (const { lines } of wholeLines(path, { to: 4 * 1024 * 1024, breathe }))
    for (const line of lines) {
      const session = stringIn(objectOfLine(line)?.['sessionId'])
      if (session !== '') return session
    }
  return ''
}

/** What the list shows, from the lines that are new since the last look. Few lines are parsed. */
async function glance(
  file: HistoryFile,
  before: JsonObject | null,
  { breathe }: Finding,
): Promise<JsonObject> {
  const notes: Record<string, unknown> = before === null ? { calls: 0, isEmpty: true } : { ...before }
  const from = numberIn(notes['read'])
  for await (const { lines, end } of wholeLines(file.path, { from, to: file.size, breathe })) {
    for (const line of lines) {
      if (notes['prompt'] === undefined || notes['folder'] === undefined) begin(notes, line)
      if (line.length < SHORT && (line.includes('-title"') || line.includes('"summary"'))) name(notes, line)
      if (line.includes(CALLS[0]) || line.includes(CALLS[1])) notes['calls'] = numberIn(notes['calls']) + 1
    }
    notes['updatedAt'] = lastTimeIn(lines) ?? notes['updatedAt']
    notes['read'] = end
  }
  return notes
}

/** The time of the last line that has one, of the last few. */
function lastTimeIn(lines: readonly Buffer[]): number | null {
  for (const line of lines.slice(-20).reverse()) {
    const time = timeIn(TIME.exec(line.toString('latin1'))?.[1])
    if (time !== null) return time
  }
  return null
}

function begin(notes: Record<string, unknown>, line: Buffer): void {
  const value = objectOfLine(line)
  if (value === null) return
  const type = value['type']
  if (type !== 'user' && type !== 'assistant') return
  notes['isEmpty'] = false
  notes['createdAt'] ??= value['timestamp']
  const cwd = stringIn(value['cwd'])
  if (cwd !== '') notes['folder'] ??= cwd
  if (type !== 'user' || value['isMeta'] === true || value['isSidechain'] === true) return
  const prompt = typedWords(textOfBlocks(objectIn(value['message'])['content']))
  if (prompt !== '' && value['isCompactSummary'] !== true) notes['prompt'] ??= prompt.slice(0, 500)
}

function name(notes: Record<string, unknown>, line: Buffer): void {
  const value = objectOfLine(line)
  if (value?.['type'] === 'custom-title') notes['named'] = stringIn(value['customTitle'])
  if (value?.['type'] === 'summary') notes['summary'] ??= stringIn(value['summary'])
  if (value?.['type'] === 'ai-title') notes['summary'] = stringIn(value['aiTitle'])
}

/** Bytes. The lines that name a conversation are short. */
const SHORT = 4096
const CALLS = ['"name":"Task","input"', '"name":"Agent","input"'] as const
const TIME = /"timestamp":"([^"]{10,40})"/
