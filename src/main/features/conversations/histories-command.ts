/** `troupe conversations list --from PROGRAM` and `continue`, and the ids that other agent programs give conversations. */
import { resolve } from 'node:path'
import {
  type HistoryEntry,
  type HistoryProgram,
  type HistorySource,
  historyNames,
} from '../../../shared/histories/history.ts'
import type { Dispatch } from '../../../shared/ipc/handlers.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import { EXIT, failed, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'

interface Histories {
  list(options: {
    readonly program: HistoryProgram
    readonly allow: readonly HistoryProgram[]
  }): Promise<Result<readonly HistorySource[]>>
  find(name: string): Promise<Result<HistoryEntry>>
}

/** Whoever names a program lets Troupe read it, for this command. @returns the exit code */
export async function historiesList(
  { from, json }: { readonly from: HistoryProgram; readonly json: boolean },
  { histories, output, errors }: Printing & { readonly histories: Pick<Histories, 'list'> },
): Promise<number> {
  const listed = await histories.list({ program: from, allow: [from] })
  if (!listed.ok) return failed({ errors }, listed.failure.message)
  const [source] = listed.value
  const name = historyNames[from]
  if (source === undefined) return failed({ errors }, `Troupe can’t read the conversations of ${name}.`)
  if (source.reading === 'off')
    return failed(
      { errors },
      `Reading the conversations of ${name} is turned off: see the setting histories.`,
    )
  for (const problem of source.problems) errors.write(`troupe: ${problem}\n`)
  if (json) for (const entry of source.entries) output.write(jsonLine(entry))
  else if (!source.isFound) output.write(`${name} has kept no conversations here (${source.place}).\n`)
  else if (source.entries.length === 0) output.write(`No conversations of ${name} in ${source.place}.\n`)
  else for (const entry of source.entries) output.write(`${lineOf(entry)}\n`)
  return EXIT.done
}

function lineOf({ id, updatedAt, title, folder, agents, bytes }: HistoryEntry): string {
  const at = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  const size = bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round(bytes / 1024 / 1024)} MB`
  const more = `${agents} ${agents === 1 ? 'agent' : 'agents'}${bytes === 0 ? '' : `, ${size}`}`
  return `${id}  ${at}  ${oneLine(title === '' ? 'Untitled conversation' : title, 100)}  (${oneLine(folder)}; ${more})`
}

/** The id of the conversation that a user names, perhaps by the id that another program gave it. */
export async function withHistoryId(
  name: string,
  {
    runtime,
    histories,
  }: { readonly runtime: Pick<Runtime, 'find'>; readonly histories: Pick<Histories, 'find'> },
): Promise<string> {
  if (!SESSION.test(name) || (await runtime.find(name)) !== null) return name
  const found = await histories.find(name)
  return found.ok ? found.value.id : name
}

/** How other programs name their sessions: a UUID, or `ses_…`. Troupe's own ids are shorter. */
const SESSION = /^([0-9a-f]{8}-[0-9a-f-]{20,}|ses_\w+)$/i

/** @returns the exit code */
export async function historiesContinue(
  {
    id,
    folder: given,
    json,
  }: { readonly id: string; readonly folder: string | null; readonly json: boolean },
  { dispatch, output, errors }: Printing & { readonly dispatch: Dispatch<'history.continue'> },
): Promise<number> {
  const copied = await dispatch({
    type: 'history.continue',
    conversationId: id,
    ...(given !== null && { folder: resolve(given) }),
  })
  if (!copied.ok) return failed({ errors }, copied.failure.message)
  const { id: copy, title, folder } = copied.value
  output.write(
    json
      ? jsonLine({ id: copy, title, folder })
      : `${copy}  ${oneLine(title)}  (${oneLine(folder)})\nGo on with: troupe run --resume ${copy} "…"\n`,
  )
  return EXIT.done
}
