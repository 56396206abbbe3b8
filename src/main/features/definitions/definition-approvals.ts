/**
 * Which definitions of a trusted project may be used. Those that were there when the folder was trusted are approved. A
 * definition that came later, or that has more rights than the approved text, waits until the user has seen it. One whose
 * text changed without more rights is used with the approved text until then.
 */
import { basename, relative, sep } from 'node:path'
import { describeLaunch } from '../../../shared/agent-definition/external-agent-launch.ts'
import { grownRights } from '../../../shared/agent-definition/grown-rights.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Approvable, Approval, Approvals } from '../../platform/approvals/approvals.ts'
import type { SeenTexts } from '../../platform/approvals/seen-texts.ts'
import type { FoundAgent, WaitingDefinition } from './read-agent-folder.ts'

export interface DefinitionApprovals {
  /** The definitions that wait, by id. At the first call for a project all that are there are approved, except programs. */
  waiting(
    root: string,
    agents: readonly FoundAgent[],
  ): Promise<Result<ReadonlyMap<string, WaitingDefinition>>>
  /** Compares the text of one file with the one that the user approved. */
  pendingOf(root: string, file: ProjectFile): Promise<WaitingDefinition>
  /** The same for the answer to the question of trust, which approves no program. */
  approveAll(root: string, files: readonly ProjectFile[]): Promise<Result<void>>
  /** Approves these texts. Fails with `io`. */
  approve(root: string, files: readonly ProjectFile[]): Promise<Result<void>>
}

/** A definition's file in a project. */
interface ProjectFile {
  readonly file: string
  readonly text: string
}

interface DefinitionApprovalOptions {
  readonly texts?: Pick<SeenTexts, 'has' | 'saw'>
  readonly isInherited?: (folder: string) => boolean
}

/** Says that a project's definitions were seen, also if there were none. */
const SEEN: Approvable = { kind: 'agents-folder', name: '.claude/agents', definition: null }

/**
 * @param options `texts`: the versions that the user has seen; missing: a changed text without more rights counts at once.
 * `isInherited`: whether a folder is trusted only because one around it is, so that nothing in it is approved at first
 */
export function createDefinitionApprovals(
  approvals: Approvals,
  { texts, isInherited = () => false }: DefinitionApprovalOptions = {},
): DefinitionApprovals {
  const approve: DefinitionApprovals['approve'] = async (root, files) => {
    for (const { file, text } of files) await texts?.saw({ path: file, text })
    return approvals.decideAll(root, [SEEN, ...files.map((each) => approvable(root, each))], 'approved')
  }

  const approveAll: DefinitionApprovals['approveAll'] = (root, files) =>
    approve(root, files.filter(startsNoProgram))

  return {
    approve,
    approveAll,
    async waiting(root, agents) {
      const files = agents.flatMap(({ id, file, text, read }) =>
        file === null || text === undefined ? [] : [{ id, file, text, read }],
      )
      const things = files.map((each) => approvable(root, each))
      const read = await approvals
        .ofAll(root, [SEEN, ...things])
        .catch((thrown: unknown) => messageOf(thrown))
      if (typeof read === 'string')
        return fail({ type: 'io', message: `your approvals could not be read: ${read}` })
      const [seen, ...found] = read
      const isFirst = seen?.state !== 'approved'
      if (isFirst) {
        const approved = await approveAll(root, isInherited(root) ? [] : files)
        if (!approved.ok) return approved
      }
      const waiting = new Map<string, WaitingDefinition>()
      for (const [index, each] of files.entries()) {
        const approval = found[index]
        // What can't be used needs no approval.
        if (approval === undefined || approval.state === 'approved' || !each.read.offered) continue
        if (isFirst && startsNoProgram(each) && !isInherited(root)) continue
        const waits = differenceTo(approval, each)
        const hasEqualRights = waits.former !== null && waits.gained.length === 0
        const counts =
          hasEqualRights &&
          (texts === undefined || (await texts.has(root, { path: each.file, text: each.text })))
        if (!counts) waiting.set(each.id, waits)
      }
      return ok(waiting)
    },
    pendingOf: async (root, file) => differenceTo(await approvals.of(root, approvable(root, file)), file),
  }
}

function approvable(root: string, { file, text }: ProjectFile): Approvable {
  return { kind: 'agent', name: relative(root, file).split(sep).join('/'), definition: { text } }
}

function differenceTo(approval: Approval, { file, text }: ProjectFile): WaitingDefinition {
  const former = approval.state === 'changed' ? textOf(approval.former) : null
  return { former, gained: former === null ? programIn({ file, text }) : gainedSince(former, { file, text }) }
}

/** Trust in a folder starts no program: the user approves each one by itself. */
function startsNoProgram(file: ProjectFile): boolean {
  return programIn(file).length === 0
}

/** The program that a definition starts, as a short phrase for the user. */
function programIn({ file, text }: ProjectFile): readonly string[] {
  const { definition } = readDefinition(text, { stem: basename(file, '.md'), source: 'the project' })
  if (definition?.program === undefined) return []
  return [`it starts a program: ${describeLaunch(definition.program)}`]
}

function gainedSince(former: string, { file, text }: ProjectFile): readonly string[] {
  const origin = { stem: basename(file, '.md'), source: 'the project' }
  const [before, now] = [readDefinition(former, origin), readDefinition(text, origin)]
  if (now.definition === null) return []
  return before.definition === null || !before.offered
    ? ['it could not be used before']
    : grownRights(before.definition, now.definition)
}

const textOf = (definition: unknown): string | null =>
  typeof definition === 'object' && definition !== null && 'text' in definition
    ? typeof definition.text === 'string'
      ? definition.text
      : null
    : null
