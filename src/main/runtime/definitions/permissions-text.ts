/** The text about an agent's permissions: a section of its system prompt, and a notice when the permissions change. */

import { modeMeanings } from '../../../shared/permissions/mode-meanings.ts'
import { type EffectiveMode, isSilent } from '../../../shared/permissions/permission-modes.ts'
import type { Ports } from '../ports/ports.ts'

/** The user's decisions about a conversation's folder and this run. */
export interface FolderPolicy {
  readonly trusted: boolean
  readonly bypassAllowed: boolean
  /** Whether a user answers requests. */
  readonly attended: boolean
  /** Whether commands run in the sandbox without a question. */
  readonly sandboxed: boolean
}

export interface PermissionFacts extends FolderPolicy {
  readonly mode: EffectiveMode
  readonly readOnly: boolean
  /** Whether requests of the agent reach the user. An agent in the background may have none. */
  readonly asks: boolean
  /** Whether the agent has ExitPlanMode. */
  readonly presentsPlan: boolean
  /** A subagent is told by its report's section that nobody answers questions. */
  readonly isMain: boolean
}

export function folderPolicy(
  folder: string,
  { policy, sandbox }: Pick<Ports, 'policy' | 'sandbox'>,
  trusted = policy.trusted(folder),
): FolderPolicy {
  return {
    trusted,
    bypassAllowed: policy.bypassAllowed(folder, trusted),
    attended: policy.attended,
    sandboxed: sandbox?.isOpen(folder) ?? false,
  }
}

/** The section of the system prompt. A fork has its parent's: what only a main agent reads comes last. */
export function permissionsText(facts: PermissionFacts): string {
  return `# Permissions
${[modeText(facts), ...sandboxText(facts), DENIED, ...(facts.attended || !facts.isMain ? [] : [UNATTENDED])].join('\n')}`
}

/** The notice for an agent whose system prompt or last notice says something else. */
export function changedPermissionsText(facts: PermissionFacts): string {
  return `Your permissions are now the following. What you were told about permissions before no longer applies.

${permissionsText(facts)}`
}

function modeText(facts: PermissionFacts): string {
  const { trusted, readOnly, presentsPlan, attended } = facts
  const mode = modeNow(facts)
  if (!trusted)
    return 'The user has not trusted this folder. You can read its files; every other call is denied, commands included.'
  if (mode === 'plan' || readOnly)
    return `${mode === 'plan' ? 'Mode: plan.' : `You are read-only (mode: ${mode}).`} You can read in your folder, and run ${facts.sandboxed ? 'any command in the sandbox: it can change no file but those in $TMPDIR, and has no network' : 'commands that are known to be read-only'}. ${outsideText(facts)} Every change is denied: describe it instead of making it.${mode === 'plan' ? ` ${presentsPlan && attended ? PRESENT_PLAN : 'Only the user can leave this mode.'}` : ''}`
  if (mode === 'bypassPermissions')
    return 'Mode: bypassPermissions. Nearly every call runs without asking, so be careful with anything that cannot be undone.'
  const isAsked = facts.attended && facts.asks && !isSilent(facts.mode)
  const edits =
    mode === 'acceptEdits' || (facts.sandboxed && !isAsked)
      ? 'read and change files in your folder (other than those that control what runs later)'
      : 'read in your folder'
  return `Mode: ${mode}. Without asking, you can ${edits}, run ${facts.sandboxed ? SANDBOXED : 'commands that are known to be read-only'}, and make calls that a rule of the user allows. ${mode === 'default' && facts.sandboxed && isAsked ? `${EDITS_ASK} ` : ''}${othersText(facts)}`
}

/** Bypassing needs a marked folder. */
function modeNow({ mode: { permissionMode }, bypassAllowed }: PermissionFacts) {
  return permissionMode === 'bypassPermissions' && !bypassAllowed ? 'default' : permissionMode
}

/** The same in the foreground and in the background. */
function outsideText({ mode, attended }: PermissionFacts): string {
  if (!attended) return 'Reading outside your folder is denied unless a rule of the user allows it.'
  return isSilent(mode)
    ? 'Reading outside your folder is denied unless a rule of the user allows it; the user is not asked.'
    : 'Reading outside your folder needs permission.'
}

/** The treatment of calls that no rule and no mode allows. */
function othersText({ mode, attended, asks }: PermissionFacts): string {
  if (isSilent(mode)) return 'Every other call is denied: this mode never asks the user.'
  if (!attended) return 'Every other call is denied.'
  if (!asks) return 'Every other call is denied: you work in the background, where the user is not asked.'
  return 'For every other call the user is asked, and the call waits for the answer.'
}

const SANDBOXED =
  'commands in the sandbox (they can change only your folder and $TMPDIR, read no key files, and reach no host that the user has not allowed)'
/** The words of the mode's menu. */
const EDITS_ASK = `${modeMeanings.default.meaning} Change files with Edit and Write all the same, so that the user sees each change before it is made; where a change is many or mechanical, a command such as a formatter is right.`

/** Before the first failure: what a command in the sandbox can't do, and what to do then. */
function sandboxText(facts: PermissionFacts): readonly string[] {
  const { trusted, sandboxed, attended, asks, mode } = facts
  if (!trusted || !sandboxed || modeNow(facts) === 'bypassPermissions') return []
  const more =
    attended && asks && !isSilent(mode)
      ? 'For a command that needs more, set outside_sandbox: the user is asked.'
      : 'Nobody can allow more here, so do not set outside_sandbox.'
  return [
    `Commands in the sandbox have a network and processes of their own: they reach a server only if you started it in the background, or in the same command, and none of this machine. ${more}`,
  ]
}

const PRESENT_PLAN =
  'When your plan is complete, call ExitPlanMode with it: the user reviews it, and approval ends this mode.'
const UNATTENDED =
  'No user is present in this run: decide open questions yourself, and name your assumptions.'
const DENIED =
  'A denied call names the reason. Do not try to get the same effect in another way. Continue without it, and report what you needed it for.'
