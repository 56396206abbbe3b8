/** Servers and rules of other programs: what of them is here, and what can be imported. */
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { importText, type SetupItem } from '../../../shared/setup/setup.ts'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import { exists } from '../../platform/system/exists.ts'
import { findOtherRules, type OtherRule } from './other-rules.ts'
import { findOtherServers, type OtherServer } from './other-servers.ts'
import { type ItemFindings, itemOf, notUsed, type SetupParts, shownSetupPath } from './setup-item.ts'

/**
 * One file or folder of another program. An imported rule is known by its text, and an imported server by a note and its
 * definition, so that an import can be undone at any time, and nothing that was edited afterwards is deleted.
 */
export interface OtherFile {
  readonly what: string
  readonly file: string
  readonly place: 'user' | 'local'
  readonly fresh: { readonly servers: readonly OtherServer[]; readonly rules: readonly OtherRule[] }
  readonly done: { readonly servers: readonly OtherServer[]; readonly rules: readonly OtherRule[] }
  /** Servers that the user has already, without an import. */
  readonly same: readonly string[]
  /** Servers whose name another server has here. */
  readonly taken: readonly string[]
  /** Sentences. */
  readonly problems: readonly string[]
  /** How many files it stands for. */
  readonly files: number
  readonly isFolder: boolean
}

/** The items for the files of other programs. */
export async function otherItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  return (await otherFiles(folder, parts)).map((one): SetupItem => {
    const { what, file, files, isFolder, fresh, done, same, taken, problems } = one
    const amounts = { servers: fresh.servers.length, rules: fresh.rules.length }
    const hasNew = amounts.servers + amounts.rules > 0
    const amountDone = done.servers.length + done.rules.length
    const all = fresh.servers.length + done.servers.length + same.length + taken.length
    const target = [...fresh.rules, ...done.rules][0]
    const into = target === undefined ? '' : shownSetupPath(dirname(target.file), folder, parts.home)
    const details = [
      ...(all > 0 ? [`${countOf(all, 'server')}: ${serverText(one)}`] : []),
      ...(amounts.rules > 0 ? [`Becomes ${countOf(amounts.rules, 'file')} in ${into}`] : []),
      ...(done.rules.length > 0 ? [`Imported as ${countOf(done.rules.length, 'file')} in ${into}`] : []),
      ...(problems.length > 0 && (hasNew || amountDone > 0 || all > 0)
        ? [`${problems.length} can’t be imported`]
        : []),
    ]
    const notes = [
      ...problems,
      ...(taken.length > 0
        ? [`Other servers of yours have these names and stay as they are: ${taken.join(', ')}.`]
        : []),
      ...(hasNew ? [`Not imported yet: ${importText(amounts)}.`] : []),
    ]
    const state = hasNew
      ? 'not-imported'
      : amountDone + all === 0
        ? 'not-used'
        : problems.length === 0
          ? 'used'
          : amountDone > 0
            ? 'partly'
            : 'not-used'
    const findings: ItemFindings =
      details.length === 0
        ? { ...notUsed(problems[0] ?? ''), notes: problems }
        : { state, details: details.join('. '), notes }
    const place = { group: 'others' as const, what, file, files, isFolder }
    return {
      ...itemOf(place, findings, { folder, home: parts.home }),
      imports: { ...amounts, done: amountDone },
    }
  })
}

const serverText = ({ fresh, done, same, taken }: OtherFile): string =>
  [
    ...(fresh.servers.length > 0 ? [`${fresh.servers.length} new`] : []),
    ...(done.servers.length > 0 ? [`${done.servers.length} imported`] : []),
    ...(same.length > 0 ? [`${same.length} the same as yours`] : []),
    ...(taken.length > 0 ? [`${taken.length} with a name that you have`] : []),
  ].join(', ')

/** The notes of which servers came by an import, by folder; those for every project at the home folder. */
export const importNotes = ({ dataFolder }: SetupParts) =>
  createApprovals({ dataFolder, name: 'imports.json' })

/** One server, as the notes know it. */
export const serverNoteOf = ({ name, definition }: Pick<OtherServer, 'name' | 'definition'>) =>
  ({ kind: 'mcp-server', name, definition }) as const

/** The files of other programs that have servers or rules. Nothing of an untrusted folder is read. */
export async function otherFiles(folder: string, parts: SetupParts): Promise<readonly OtherFile[]> {
  const { home, mcp, isTrusted } = parts
  const where = { home, folder, trusted: isTrusted(folder) }
  const [lists, texts] = await Promise.all([findOtherServers(where), findOtherRules(where)])
  const have = lists.length === 0 ? [] : (await mcp.state(folder)).servers
  const none = { servers: [], rules: [] }
  const ofServers = lists.map(async ({ what, file, isOwn, content }): Promise<OtherFile> => {
    const base = {
      what,
      file,
      files: 1,
      isFolder: false,
      place: isOwn ? ('user' as const) : ('local' as const),
    }
    if (content.kind === 'broken')
      return { ...base, fresh: none, done: none, same: [], taken: [], problems: [content.because] }
    const by = (kind: ReturnType<typeof newness>) =>
      content.servers.filter((server) => newness(server, have) === kind)
    const here = by('same')
    const noted = await importNotes(parts).ofAll(isOwn ? home : folder, here.map(serverNoteOf))
    const isDone = (at: number) => noted[at]?.state === 'approved'
    return {
      ...base,
      fresh: { servers: by('new'), rules: [] },
      done: { servers: here.filter((_, at) => isDone(at)), rules: [] },
      same: here.filter((_, at) => !isDone(at)).map(({ name }) => name),
      taken: by('taken').map(({ name }) => name),
      problems: by('no').flatMap(({ problem }) => problem ?? []),
    }
  })
  const ofRules = await Promise.all(
    texts.map(async ({ what, file, rules }): Promise<OtherFile> => {
      const fresh: OtherRule[] = []
      const done: OtherRule[] = []
      const problems: string[] = []
      for (const rule of rules) {
        const here = await readFile(rule.file, 'utf8').catch(() => null)
        const from = shownSetupPath(rule.from, folder, home)
        if (rule.problem !== null) problems.push(rule.problem.replace(rule.from, () => from))
        else if (here === rule.text) done.push(rule)
        else if (here === null && !(await exists(rule.file))) fresh.push(rule)
        else
          problems.push(
            `${from} is left out: ${shownSetupPath(rule.file, folder, home)} is there with another text.`,
          )
      }
      return {
        ...{
          what,
          file,
          place: 'local',
          same: [],
          taken: [],
          problems,
          files: rules.length,
          isFolder: rules[0]?.from !== file,
        },
        fresh: { servers: [], rules: fresh },
        done: { servers: [], rules: done },
      }
    }),
  )
  return [...(await Promise.all(ofServers)), ...ofRules]
}

/** `same`: it is here. `taken`: another server has its name. `no`: it can't be imported. */
function newness(
  { name, definition, problem }: OtherServer,
  have: readonly McpServerState[],
): 'new' | 'same' | 'taken' | 'no' {
  const here = have.find((server) => server.name === name)
  if (here !== undefined) return isDeepStrictEqual(here.definition, definition) ? 'same' : 'taken'
  return problem === null ? 'new' : 'no'
}
