/** The permission stage of a tool call: rules and modes decide, or the user if they leave the decision open. */

import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { RuleOffer } from '../../../shared/events/agent-event.ts'
import { askedEachTime, offersOf } from '../../../shared/events/permissions.ts'
import { chosenByAnswer, type ExternalAgentChoice } from '../../../shared/external-agents/external-agent.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { Confinement } from '../../../shared/permissions/confinement.ts'
import { isSilent } from '../../../shared/permissions/permission-modes.ts'
import { decideCall, type JudgedCall, type PermitDeps, ruleCovers } from '../permissions/decide-call.ts'
import type { HidesFile, PermissionDecision } from '../permissions/permission-concern.ts'
import { requireAsk } from '../permissions/require-ask.ts'
import type { Policy } from '../ports/ports.ts'
import type { CommandLimits } from '../ports/sandbox.ts'
import { type PermissionTarget, type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import type { AgentRun, RunContext } from './agent-run.ts'
import { type InterceptDeps, intercept } from './intercept.ts'
import { notRun, type PreparedCall } from './prepare-tool-call.ts'
import { createStandingDecision, type StandingDecision } from './standing-decision.ts'

/** The permission for one run of one call. */
export interface Permit {
  /** For files: the real path that was judged. */
  readonly realPath?: string
  readonly hides?: HidesFile
  readonly target: PermissionTarget
  /** Why nobody had to be asked; missing: the user allowed the call. */
  readonly because?: string
  /** For commands, where there is a sandbox. */
  readonly confinement?: Confinement
  readonly limits?: CommandLimits
  /** The id of the program's answer that the user chose. */
  readonly choice?: string
}

/** A call that may not run. `stops`: an interceptor stopped the agent. */
interface Refusal {
  readonly outcome: ToolOutcome
  readonly stops: boolean
  /** The id of the program's answer that the user chose. */
  readonly choice?: string
}

/**
 * `ask`: why an interceptor requires the user's permission, even if rules or modes allow the call. `allow`: why an
 * interceptor allows the call without the user, if a rule could. `isAllowed`: the user is not asked again. `choices`:
 * answers of the external agent that makes the call.
 */
export async function permitToolCall(
  run: RunContext<PermitDeps & InterceptDeps>,
  call: PreparedCall,
  {
    context,
    ask,
    allow,
    isAllowed = false,
    choices,
  }: {
    readonly context: ToolContext
    readonly ask: string | null
    readonly allow: string | null
    readonly isAllowed?: boolean
    readonly choices?: readonly ExternalAgentChoice[] | undefined
  },
): Promise<Result<Permit, Refusal>> {
  const target = await callTarget(call, context)
  const standing = createStandingDecision(run.deps.rules, run.agent.session.project, () =>
    decide(run, { call, target, ask }),
  )
  try {
    return await permitTarget(run, call, { target, standing, allow, isAllowed, choices })
  } finally {
    standing.end()
  }
}

async function permitTarget(
  run: RunContext<PermitDeps & InterceptDeps>,
  call: PreparedCall,
  {
    target,
    standing,
    allow,
    isAllowed,
    choices = [],
  }: {
    readonly target: PermissionTarget
    readonly standing: StandingDecision
    readonly allow: string | null
    readonly isAllowed: boolean
    readonly choices: readonly ExternalAgentChoice[] | undefined
  },
): Promise<Result<Permit, Refusal>> {
  const { agent, signal } = run
  const decision = await standing.now()
  const { name } = call.tool
  const covers = (rule: string) => callCovered(run, { tool: name, target }, rule)
  const common = { toolUseId: call.id, tool: name, input: call.input, covers }
  if (decision.kind === 'deny') {
    const told = await intercept(run, 'permission-denied', { ...common, because: decision.because })
    return denied([decision.because, ...(told.context === null ? [] : [told.context])].join('\n\n'))
  }
  if (decision.kind === 'allow' || isAllowed) return ok(permitOf(agent.id, target, decision))

  const { subject, because, alwaysRule, remedy } = decision
  const offers = offersOf({ alwaysRule, ruleOffers: decision.offers })
  const asked = await intercept(run, 'permission-request', { ...common, because })
  if (asked.stop !== null) return fail({ outcome: notRun(asked.stop), stops: true })
  if (asked.denial !== null) return denied(asked.denial)
  // Only the user allows calls that no rule can allow, and calls that a rule or an interceptor asks about.
  const allowed = allow ?? asked.allow
  if (allowed !== null) {
    // Rules may have changed while interceptors ran.
    const now = await standing.now()
    if (now.kind === 'deny') return denied(now.because)
    if (now.kind === 'allow' || offersOf({ alwaysRule: now.alwaysRule, ruleOffers: now.offers }).length > 0)
      return ok({ ...permitOf(agent.id, target, now), because: allowed })
  }
  const kept = askedEachTime(subject) === null ? offers : []
  const answer = await agent.ask(
    {
      toolUseId: call.id,
      toolName: call.tool.name,
      subject,
      because,
      alwaysRule: kept[0]?.rule ?? null,
      ...(kept.length > 0 && { ruleOffers: kept }),
      ...(choices.length > 0 && { choices }),
      remedy,
    },
    { signal, settled: () => standing.settled() },
  )
  if (answer.decision === 'settled')
    return answer.by.kind === 'allow' ? ok(permitOf(agent.id, target, answer.by)) : denied(answer.by.because)
  const chosen = chosenByAnswer(choices, answer)
  const choice = chosen === undefined ? {} : { choice: chosen.id }
  if (answer.decision === 'deny')
    return fail({ outcome: toolError(denialFor(answer), 'denied'), stops: false, ...choice })
  if (answer.decision === 'allow-always') await keepRule(run, kept, answer.rule)
  return ok({ ...permitOf(agent.id, target, decision), ...choice })
}

function permitOf(
  agentId: string,
  target: PermissionTarget,
  decision: Exclude<PermissionDecision, { readonly kind: 'deny' }>,
): Permit {
  const { kind, because, realPath, hides, confinement, limits } = decision
  return {
    target,
    ...(kind === 'allow' && { because }),
    ...(confinement && { confinement }),
    ...(limits && { limits: { ...limits, agentId } }),
    ...(realPath === undefined ? {} : { realPath }),
    ...(hides === undefined ? {} : { hides }),
  }
}

/** Saves the chosen rule; only an offered one, because the user saw no other. */
async function keepRule(
  { agent, deps }: RunContext<PermitDeps>,
  offers: readonly RuleOffer[],
  chosen: string | undefined,
): Promise<void> {
  const rule = chosen === undefined ? offers[0]?.rule : offers.find((one) => one.rule === chosen)?.rule
  if (rule === undefined && chosen === undefined) return
  const warn = (text: string) => agent.emit({ type: 'notice', level: 'warning', text })
  if (rule === undefined) {
    warn(`The rule ${makeVisible(chosen ?? '')} was not offered for this call, so it was not saved.`)
    return
  }
  const kept = await deps.rules.allow(agent.session.project, rule)
  if (!kept.ok) warn(`The rule ${rule} could not be saved, so Troupe will ask again: ${kept.failure.message}`)
}

const denied = (because: string) => fail({ outcome: toolError(because, 'denied'), stops: false })

function undeclaredTarget({ tool, input }: PreparedCall): PermissionTarget {
  return {
    kind: 'undeclared',
    action: `use ${tool.label ?? tool.name}`,
    text: JSON.stringify(input, null, 2),
    onlyReads: !tool.sideEffects(input),
  }
}

/** What a call would reach. */
export async function callTarget(call: PreparedCall, context: ToolContext): Promise<PermissionTarget> {
  return (await call.tool.target?.(call.input, context)) ?? undeclaredTarget(call)
}

/** Whether a permission rule covers a call; see `ruleCovers`. */
export function callCovered(
  { agent, deps, signal }: RunContext<PermitDeps>,
  call: Pick<JudgedCall, 'tool' | 'target'>,
  rule: string,
): Promise<boolean> {
  const { session } = agent
  return ruleCovers(deps, { ...call, session, definition: agent.state().definition, rule }, signal)
}

async function decide(
  { agent, deps, signal }: RunContext<PermitDeps>,
  {
    call,
    target,
    ask,
  }: { readonly call: PreparedCall; readonly target: PermissionTarget; readonly ask: string | null },
): Promise<PermissionDecision> {
  const { session, readOnly } = agent
  const { definition } = agent.state()
  const judged = {
    tool: call.tool.name,
    target,
    mode: agent.mode(),
    reachesUser: reachesUser(agent, deps.policy),
    session,
    definition,
    readOnly,
  }
  const decision = await decideCall(deps, judged, signal)
  return ask === null
    ? decision
    : requireAsk(decision, {
        because: ask,
        isSilent: isSilent(agent.mode()),
        target,
        folder: session.root,
        action: `use ${call.tool.name}`,
        summary: call.tool.summary(call.input, session),
      })
}

/** Whether a user answers the agent's requests. */
export function reachesUser(agent: AgentRun, { attended }: Policy): boolean {
  const { background, bubbles } = agent.state()
  return attended && (background === 'no' || bubbles) && !isSilent(agent.mode())
}

function denialFor({ feedback, unattended }: Extract<PermissionAnswer, { decision: 'deny' }>): string {
  if (feedback === null)
    return 'The user denied this call. Do not attempt it another way. Continue without it, or explain why you need it.'
  return unattended ? feedback : `The user denied this call: ${feedback}`
}
