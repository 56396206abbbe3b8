/** Decides about a call of an agent, with the rules and the trust of its conversation's folder. */

import type { EffectiveMode } from '../../../shared/permissions/permission-modes.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { FileSearch, FileSystem } from '../ports/files.ts'
import type { PermissionRules, Policy } from '../ports/ports.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { PermissionTarget, ToolSession } from '../ports/tool.ts'
import { commandLimits, fileRuleTexts } from './command-limits.ts'
import { decidePermission } from './decide-permission.ts'
import type { AskDecision, PermissionDecision } from './permission-concern.ts'

export interface PermitDeps {
  readonly files: FileSystem
  readonly search: FileSearch
  readonly rules: PermissionRules
  readonly policy: Policy
  /** Missing: commands run without a sandbox. */
  readonly sandbox?: Sandbox
}

export interface JudgedCall {
  /** The tool's own name. */
  readonly tool: string
  readonly target: PermissionTarget
  readonly mode: EffectiveMode
  /** Whether requests reach a user; missing: they do. */
  readonly reachesUser?: boolean
  readonly session: Pick<ToolSession, 'root' | 'project' | 'cwd' | 'worktree' | 'readFolders'>
  readonly definition: Pick<AgentState['definition'], 'writeFolders' | 'rules' | 'source' | 'name'>
  readonly readOnly: boolean
}

export async function decideCall(
  deps: PermitDeps,
  call: JudgedCall,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  const { project } = call.session
  const question = await questionOf(deps, call, signal)
  const decision = await decidePermission(question)
  if (decision.kind === 'deny' || decision.confinement === undefined || decision.confinement === 'outside')
    return decision
  const held = new Set(fileRuleTexts(question))
  const rulesCame = async () => {
    const { deny, ask } = await deps.rules.of(project)
    return fileRuleTexts({ ...question, denied: deny, asked: ask }).some((text) => !held.has(text))
  }
  return { ...decision, limits: { ...commandLimits(question, decision.confinement), rulesCame } }
}

/**
 * Whether a rule covers a call, as a rule that denies would: a part of a command suffices, and so does a command that
 * can't be read or that nothing allows. Mode, trust and other rules don't matter.
 */
export async function ruleCovers(
  deps: PermitDeps,
  {
    rule,
    ...call
  }: Pick<JudgedCall, 'tool' | 'target' | 'session' | 'definition'> & { readonly rule: string },
  signal: AbortSignal,
): Promise<boolean> {
  const mode = { permissionMode: 'bypassPermissions' as const, neverAsks: false }
  const question = await questionOf(deps, { ...call, mode, readOnly: false }, signal)
  const decision = await decidePermission({
    ...question,
    agent: { ...question.agent, denied: [], only: [] },
    rules: [],
    asked: [],
    denied: [rule],
    ...{ trusted: true, bypassAllowed: true, sandbox: null },
  })
  return decision.kind === 'deny'
}

async function questionOf(
  deps: PermitDeps,
  { tool, target, mode, reachesUser = true, session, definition, readOnly }: JudgedCall,
  signal: AbortSignal,
): Promise<AskDecision> {
  const { root, project, worktree, cwd, readFolders } = session
  const { writeFolders, rules: definitionRules, source, name } = definition
  const { dataFolder, settingsFile, home } = deps.policy.ownPaths
  const rules = await deps.rules.of(project)
  const trusted = deps.policy.trusted(project)
  return {
    tool,
    target,
    mode: mode.permissionMode,
    neverAsks: mode.neverAsks,
    reachesUser,
    agent: {
      readOnly,
      root,
      cwd,
      worktree: worktree && {
        root: worktree.path,
        branch: worktree.isRepository ? null : worktree.branch,
        aliases: worktree.aliases,
      },
      readFolders: [...readFolders],
      writeFolders,
      additionalFolders: await realFolders(rules.additionalDirectories, deps.files),
      settingsFile: source === 'built-in' && name === 'statusline-setup' ? settingsFile : null,
      ...definitionRules,
    },
    rules: rules.allow,
    asked: rules.ask,
    denied: rules.deny,
    trusted,
    bypassAllowed: deps.policy.bypassAllowed(project, trusted),
    dataFolder,
    home,
    sandbox:
      ((target.kind === 'command' || target.kind === 'write') && (await deps.sandbox?.policy(project))) ||
      null,
    realPath: (path) => deps.files.realPath(path),
    look: {
      names: async (path) => {
        const names = await deps.files.list?.(path)
        return names?.ok ? names.value : null
      },
      text: (path) => textOf(path, deps.files),
      findFile: (query) => deps.search.first(query, signal),
    },
  }
}

async function textOf(path: string, files: FileSystem): Promise<string | null | undefined> {
  const read = await files.read(path, { limit: LONGEST_SETTINGS })
  if (read.ok) return new TextDecoder().decode(read.value)
  return read.failure.type === 'not-found' || read.failure.type === 'is-folder' ? null : undefined
}

/** A longer settings file of a repository counts as one that can't be read. */
const LONGEST_SETTINGS = 1 << 20

/** Folders that don't exist are left out. */
async function realFolders(folders: readonly string[], files: FileSystem): Promise<readonly string[]> {
  const real = await Promise.all(folders.map((folder) => files.realPath(folder)))
  return real.flatMap((found) => (found.ok ? [found.value] : []))
}
