/**
 * Decides whether a call may run. Pure: the caller provides rules, trust and a way to resolve links. The decision is
 * to allow the call, to deny it with a reason for the agent, or to ask the user.
 */

import { offersOf } from '../../../shared/events/permissions.ts'
import { assertNever } from '../../../shared/kernel/assert-never.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { checkRule } from '../../../shared/rules/rule-form.ts'
import { resolvePath } from '../paths/paths.ts'
import { translateCommand } from '../paths/worktree-commands.ts'
import { translatableTops } from '../paths/worktree-paths.ts'
import type { PermissionTarget } from '../ports/tool.ts'
import { decideCommand } from './decide-command.ts'
import { decideFetch } from './decide-fetch.ts'
import { decideRead, decideWrite } from './decide-file.ts'
import { decideUndeclared } from './decide-undeclared.ts'
import { withHiddenFiles } from './denied-files.ts'
import type { RealPath } from './locate-path.ts'
import type {
  AskDecision,
  PermissionAgent,
  PermissionConcern,
  PermissionDecision,
  WorktreeAgent,
} from './permission-concern.ts'
import {
  covers,
  escapeGlob,
  type PermissionRule,
  parseRules,
  ruleForName,
  ruleName,
} from './permission-rule.ts'
import {
  forbiddenByRule,
  onlyTheUser,
  planMode,
  readOnlyAgent,
  untrusted,
  withoutAsking,
} from './refusals.ts'
import { requireAsk } from './require-ask.ts'

export async function decidePermission(question: AskDecision): Promise<PermissionDecision> {
  const decision = withReadableOffers(await decideOrAsk(question))
  return question.neverAsks || question.mode === 'dontAsk' ? withoutAsking(decision) : decision
}

/** A rule that could not be read back is not offered: one for a command with an invisible character. */
function withReadableOffers(decision: PermissionDecision): PermissionDecision {
  if (decision.kind !== 'ask') return decision
  const offers = offersOf({ ...decision, ruleOffers: decision.offers })
  // Spaces next to the brackets would be lost.
  const readable = offers.filter(({ rule }) => checkRule(rule, 'allow').ok && !/\(\s|\s\)$/.test(rule))
  if (readable.length === offers.length) return decision
  const isExactReadable = readable[0] !== undefined && readable[0] === offers[0]
  return isExactReadable
    ? { ...decision, offers: readable }
    : { ...decision, alwaysRule: null, offers: [], remedy: onlyTheUser }
}

/** What a rule that asks would deny, if it denied, needs the user's permission. */
async function decideOrAsk(question: AskDecision): Promise<PermissionDecision> {
  const denied = parseRules(question.denied ?? [], question.home).map(
    (rule) => ({ ...rule, isOfUser: true }) as const,
  )
  const decision = await decide(question, denied)
  const asked = parseRules(question.asked ?? [], question.home).map(
    (rule) => ({ ...rule, asks: true }) as const,
  )
  if (decision.kind === 'deny' || asked.length === 0) return decision
  const narrowed = await decide(question, [...denied, ...asked])
  if (narrowed.kind !== 'deny') return narrowed
  const { tool, target, agent } = question
  return requireAsk(decision, {
    because: narrowed.because,
    isSilent: false,
    target,
    folder: agent.root,
    action: `use ${tool}`,
    summary: target.kind === 'none' ? (target.subject ?? tool) : tool,
  })
}

async function decide(
  question: AskDecision,
  ofSettings: readonly PermissionRule[],
): Promise<PermissionDecision> {
  const { target, agent } = question
  const forbidding = [...ofSettings, ...parseRules(agent.denied ?? [], question.home)].map(
    (rule) => ({ ...rule, forbids: true }) as const,
  )
  const denied = await withLinkTargets(forbidding, { root: agent.root, realPath: question.realPath })
  const judged: PermissionConcern = {
    ...question,
    rules: rulesInWorktree(parseRules([...question.rules, ...(agent.allowed ?? [])], question.home), agent),
    definitionRules: {
      // A denied path of the project stays denied in the project too.
      denied: [...rulesInWorktree(denied, agent), ...(agent.worktree ? denied : [])],
      only: rulesInWorktree(parseRules(agent.only ?? [], question.home), agent),
    },
    agent: { ...agent, readFolders: [...(agent.readFolders ?? []), ...(agent.additionalFolders ?? [])] },
    cwd: agent.cwd ?? agent.root,
    mode: question.mode === 'bypassPermissions' && !question.bypassAllowed ? 'default' : question.mode,
  }
  switch (target.kind) {
    case 'none':
      return decideNamed(judged, target.subject)
    case 'read':
      return await withHiddenFiles(judged, await decideRead(judged, target.path))
    case 'write':
      return await decideWrite(judged, target)
    case 'command':
      return await decideCommand(judged, target)
    case 'fetch':
      return decideFetch(judged, target)
    case 'undeclared':
      return await decideUndeclared(judged, target)
    case 'always-ask':
      return decideAlwaysAsk(judged, target)
    default:
      return assertNever(target)
  }
}

/** Only the agent's definition can forbid a call without effects: `Skill(commit)`. */
function decideNamed(question: PermissionConcern, subject = ''): PermissionDecision {
  const forbidden = forbiddenByName(question, subject)
  if (forbidden !== null) return { kind: 'deny', because: forbidden }
  return { kind: 'allow', because: 'This call has no effect outside the agent.' }
}

/** No rule and no mode allows these calls where the user can be asked. */
function decideAlwaysAsk(
  question: PermissionConcern,
  target: PermissionTarget & { kind: 'always-ask' },
): PermissionDecision {
  const deny = (because: string): PermissionDecision => ({ kind: 'deny', because })
  if (question.agent.readOnly) return deny(readOnlyAgent)
  if (!question.trusted) return deny(untrusted)
  if (question.mode === 'plan')
    return deny(target.remedy === undefined ? planMode : `${planMode} ${target.remedy}`)
  const forbidden = forbiddenByName(question, target.subject)
  if (forbidden !== null) return deny(forbidden)
  const allowed = whyUnasked(question, target)
  if (allowed !== null) return { kind: 'allow', because: allowed }
  return {
    kind: 'ask',
    subject: {
      kind: 'other',
      action: target.action,
      text: makeVisible(target.text),
      folder: question.agent.root,
    },
    because: target.because,
    alwaysRule: null,
    remedy: target.remedy ?? onlyTheUser,
  }
}

/** Why nobody has to be asked, or null. */
function whyUnasked(
  { rules, tool, mode }: PermissionConcern,
  { subject, unasked }: PermissionTarget & { kind: 'always-ask' },
): string | null {
  if (unasked === undefined) return null
  const rule = ruleForName(rules, tool, subject)
  if (rule) return `Allowed by the rule ${ruleName(rule)}.`
  return mode === 'bypassPermissions' ? 'Allowed by the mode bypassPermissions.' : unasked.allowedBecause
}

function forbiddenByName({ tool, definitionRules }: PermissionConcern, subject: string): string | null {
  const { denied, only } = definitionRules
  const rule = ruleForName(denied, tool, subject)
  if (rule) return forbiddenByRule(rule)
  const narrowed = only.filter((one) => one.tool === tool)
  if (narrowed.length === 0 || ruleForName(narrowed, tool, subject)) return null
  return `This agent's definition allows only ${narrowed.map(({ text }) => text).join(', ')}.`
}

/** The rules, and one more for each that names a link. */
async function withLinkTargets(
  rules: readonly PermissionRule[],
  { root, realPath }: { readonly root: string; readonly realPath: RealPath },
): Promise<readonly PermissionRule[]> {
  const found = await Promise.all(
    rules.map(async (rule) => {
      const target = rule.pattern === null ? null : await targetOf(rule, rule.pattern)
      return target === null ? [rule] : [rule, { ...rule, pattern: target }]
    }),
  )
  return found.flat()

  async function targetOf(rule: PermissionRule, pattern: string): Promise<string | null> {
    if (covers(rule, 'command') || !TARGETS.some((target) => covers(rule, target))) return null
    const { known, rest } = knownStart(pattern)
    if (known === '') return null
    const isAbsolute = pattern.startsWith('//')
    const named = isAbsolute ? resolvePath('/', known) : resolvePath(root, known)
    const [real, top] = await Promise.all([realPath(named), realPath(isAbsolute ? '/' : root)])
    if (!real.ok || !top.ok) return null
    const expected = isAbsolute ? named : resolvePath(top.value, known)
    return real.value === expected ? null : `/${escapeGlob(real.value)}${rest}`
  }
}

const TARGETS = ['read', 'search', 'write'] as const

/** The names before the first one with a wildcard, and what follows them with its slash. */
function knownStart(pattern: string): { readonly known: string; readonly rest: string } {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.')
  const wild = names.findIndex((name) => /(?<!\\)[*?[{]/.test(name))
  const count = wild < 0 ? names.length : wild
  const known = names.slice(0, count).join('/').replace(/\\(.)/g, '$1')
  return {
    known,
    rest: names
      .slice(count)
      .map((name) => `/${name}`)
      .join(''),
  }
}

/** `Edit(//project/src/**)` then means the same files in the worktree, and no longer those in the project. */
function rulesInWorktree(
  rules: readonly PermissionRule[],
  { worktree }: Pick<PermissionAgent, 'worktree'>,
): readonly PermissionRule[] {
  return worktree ? rules.map((rule) => ruleInWorktree(rule, worktree)) : rules
}

function ruleInWorktree(rule: PermissionRule, worktree: WorktreeAgent): PermissionRule {
  if (rule.pattern === null) return rule
  const location = { path: worktree.root, aliases: worktree.aliases }
  if (covers(rule, 'command')) return { ...rule, pattern: translateCommand(rule.pattern, location) }
  if (!rule.pattern.startsWith('//')) return rule
  const path = rule.pattern.slice(1)
  if (startsWithPath(path, worktree.root) !== null) return rule
  for (const top of translatableTops(location)) {
    const rest = startsWithPath(path, top)
    if (rest !== null) return { ...rule, pattern: `/${escapeGlob(worktree.root)}${rest}` }
  }
  return rule
}

/** The rest of a pattern after the path, with its slash; null if the pattern starts differently. */
function startsWithPath(pattern: string, path: string): string | null {
  for (const form of [path, escapeGlob(path)])
    if (pattern === form || pattern.startsWith(`${form}/`)) return pattern.slice(form.length)
  return null
}
