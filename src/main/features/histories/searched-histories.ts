/** The histories of other programs for searches: their files as they are, so that nothing needs to be converted before. */
import { type HistoryProgram, historyProgramOf, historyPrograms } from '../../../shared/histories/history.ts'
import {
  type LogAgent,
  type LoggedLine,
  loggedTexts,
  type SearchedLogs,
} from '../../../shared/search/logged-texts.ts'
import { dataPaths } from '../../platform/transcripts/data-paths.ts'
import { type FindingOptions, findHistories, historyFolder, historyFormats } from './history-finding.ts'
import type { FoundHistory } from './history-format.ts'
import { createBreathing } from './history-lines.ts'

interface Kept {
  readonly stamp: string
  readonly logs: SearchedLogs
}

/** Lists the conversations of the programs that the settings let Troupe read. */
export function createSearchedHistories(options: FindingOptions): () => Promise<readonly SearchedLogs[]> {
  let kept: ReadonlyMap<string, Kept> = new Map()

  async function logsOf(
    id: string,
    program: HistoryProgram,
    found: FoundHistory,
  ): Promise<readonly [string, Kept]> {
    const before = kept.get(id)
    if (before?.stamp === found.stamp) return [id, before]
    const { title, folder, updatedAt, stamp } = found
    const searched = await (await historyFormats[program]()).searched(found, id)
    const conversation = { id, title, folder, updatedAt, archived: false, program }
    const logs: SearchedLogs =
      'logs' in searched
        ? { conversation, ...searched }
        : { conversation, logs: [], store: { ...searched, read: () => readWhole(id, found, options) } }
    return [id, { stamp, logs }]
  }

  return async () => {
    const { histories } = options.settings.current
    const programs = historyPrograms.filter((program) => histories[program] === true)
    const all = await Promise.all(
      programs.map(async (program) => {
        const { found } = await findHistories(program, options)
        return Promise.all([...found].map(([id, one]) => logsOf(id, program, one)))
      }),
    )
    kept = new Map(all.flat())
    return [...kept.values()].map(({ logs }) => logs)
  }
}

/** What the agents of a conversation say, as its events say it. None if its files can't be read. */
async function readWhole(
  conversationId: string,
  found: FoundHistory,
  { dataFolder, elapsed }: FindingOptions,
): Promise<readonly { readonly agent: LogAgent; readonly lines: readonly LoggedLine[] }[]> {
  const program = historyProgramOf(conversationId)
  if (program === null) return []
  const agents = new Map<string, { readonly agent: LogAgent; readonly lines: LoggedLine[] }>()
  const [format, { HistoryBook }] = await Promise.all([
    historyFormats[program](),
    import('./history-book.ts'),
  ])
  const book = new HistoryBook({
    ...{
      conversationId,
      program,
      paths: dataPaths(historyFolder(dataFolder)),
      breathe: createBreathing(elapsed),
    },
    take(event) {
      const { agentId: id, seq: sequence, at } = event
      if (event.type === 'agent-spawned') {
        const { definition, parentId, task } = event
        const name = parentId === null ? 'main' : definition.name
        agents.set(id, { agent: { id, name, task, color: definition.color }, lines: [] })
      }
      const texts = loggedTexts(event)
      if (texts.length > 0) agents.get(id)?.lines.push({ sequence, at, texts, outputOf: null })
    },
  })
  try {
    await format.convert(found, book)
    book.finish()
  } catch {
    // A program may delete a conversation at any time.
  }
  return [...agents.values()]
}
