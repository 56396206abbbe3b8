/** Decides about commands: each part of the command line must be read-only, or allowed by a rule. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PermissionTarget } from '../ports/tool.ts'
import { type JudgedPart, judgePart, onlyReads } from './command-concerns.ts'
import { commandOffers } from './command-offers.ts'
import { commandRemedy } from './command-remedy.ts'
import type { Concern } from './concern.ts'
import { type CommandDecision, confineCommand, settledBySandbox } from './confine-command.ts'
import { namesProtected } from './known-end.ts'
import { onceForEach } from './locate-path.ts'
import type { PermissionConcern, PermissionDecision } from './permission-concern.ts'
import { covers, ruleForWholeCommand, ruleName } from './permission-rule.ts'
import { onlyTheUser, planMode, readOnlyAgent, untrusted } from './refusals.ts'
import { requestParts } from './request-parts.ts'
import { parseShell } from './shell/parse-shell.ts'
import { readsTheSame } from './shell/second-reading.ts'
import { commandParts } from './shell/walk-commands.ts'
import { unclearWorktreeGit, worktreeGit } from './worktree-git.ts'

/** Longer command lines need permission. */
const MOST_PARTS = 50
/** Words of all parts together. Each word may be a path to resolve. */
const MOST_WORDS = 500

export async function decideCommand(
  asked: PermissionConcern,
  target: PermissionTarget & { kind: 'command' },
): Promise<PermissionDecision> {
  const shared = { ...asked, realPath: onceForEach(asked.realPath) }
  const { question, decision } = await confineCommand(shared, target, judgeCommandLine)
  if (decision.kind !== 'ask') return decision
  const remedy = await commandRemedy(question, target.command, judgeCommandLine)
  const offers = decision.offers ?? (await commandOffers(question, target.command, judgeCommandLine))
  const parts = await requestParts(question, target.command)
  const subject = parts === undefined ? decision.subject : { ...decision.subject, parts }
  return { ...decision, subject, alwaysRule: offers[0]?.rule ?? null, offers, remedy }
}

/** Whether a command line may change files. Unclear ones may. */
export function mayChangeFiles(command: string, cwd: string): boolean {
  const parsed = parseShell(command)
  if (!parsed.ok || !readsTheSame(command, parsed.list)) return true
  const parts = commandParts(parsed.list, cwd)
  return parts.length > MOST_PARTS || !parts.every(onlyReads)
}

/** Why a rule denies a text if it is a command line; null: none does, or it can't be read as one. */
export async function deniedAsCommand(question: PermissionConcern, command: string): Promise<string | null> {
  const parsed = parseShell(command)
  const parts = parsed.ok ? commandParts(parsed.list, question.cwd) : []
  const { denied } = question.definitionRules
  for (const part of parts.slice(0, MOST_PARTS)) {
    const judged = await judgePart({ ...question, definitionRules: { denied, only: [] } }, part)
    if (judged.forbidden?.kind === 'deny') return judged.forbidden.because
    const denial = judged.concerns.find(({ weight }) => weight === 'denied')
    if (denial) return denial.because
  }
  return null
}

async function judgeCommandLine(question: PermissionConcern, command: string): Promise<CommandDecision> {
  if (!question.trusted) return { kind: 'deny', because: untrusted }
  const parsed = parseShell(command)
  const unclear = (because: string) => decideUnclear(question, command, because)
  if (!parsed.ok) return unclear(`Troupe can't check this command (${parsed.because}).`)
  if (!readsTheSame(command, parsed.list))
    return unclear("Troupe can't check this command (two readings of it differ).")
  const parts = commandParts(parsed.list, question.cwd)
  if (parts.length > MOST_PARTS)
    return unclear(`This command has ${parts.length} parts, more than ${MOST_PARTS}.`)
  const words = parts.reduce(
    (sum, { command: { words, redirects } }) => sum + words.length + redirects.length,
    0,
  )
  if (words > MOST_WORDS) return unclear(`This command has ${words} words, more than ${MOST_WORDS}.`)

  const beyond = await worktreeGit(question, parts)
  if (beyond?.kind === 'deny') return { kind: 'deny', because: beyond.because }
  const judged: JudgedPart[] = []
  for (const part of parts) judged.push(await judgePart(question, part))
  const forbidden = judged.flatMap((part) => part.forbidden ?? [])
  const denial =
    forbidden.find(({ kind }) => kind === 'deny') ??
    judged.flatMap((part) => part.concerns).find(({ weight }) => weight === 'denied')
  /** Names the part of a compound command that is the reason. */
  const ofPart = (because: string, isReason: (part: JudgedPart) => boolean) => {
    const text = parts.length > 1 ? parts[judged.findIndex(isReason)]?.command.text.trim() : undefined
    return text === undefined || because.includes(text) ? because : `${because} ${partText(text)}`
  }
  if (denial) {
    const isReason = (part: JudgedPart) =>
      part.forbidden === denial || part.concerns.some((one) => one === denial)
    return { kind: 'deny', because: `${ofPart(denial.because, isReason)}${nothingRan(parts)}` }
  }
  const changing = judged.find((part) => !part.readOnly)
  const held = heldToReading(question)
  if (held && changing && !isContained(question))
    return {
      kind: 'deny',
      because: `${ofPart(`${held} The command was denied because ${makeVisible(changing.because)}.`, (part) => part === changing)}${nothingRan(parts)}`,
    }

  const concerns: Concern[] = judged.flatMap((part) => part.concerns)
  for (const { because } of forbidden) concerns.push({ because, weight: 'sensitive' })
  if (beyond) concerns.push({ because: beyond.because, weight: 'sensitive', inSandbox: 'fails' })
  const open = concerns.filter((concern) => !isSettled(question, concern, command))
  const left = open.filter((concern) => !isContained(question) || !settledBySandbox(concern))
  const [first] = [...left].sort((a, b) => WEIGHTS.indexOf(b.weight) - WEIGHTS.indexOf(a.weight))
  if (first === undefined) {
    const allowed: CommandDecision =
      open.length > 0 ? inSandbox : { kind: 'allow', because: whyAllowed(question, judged, concerns) }
    return judged.some(({ pushes }) => pushes) ? { ...allowed, failsInSandbox: true } : allowed
  }
  const asked = ask(
    question,
    command,
    ofPart(first.because, (part) => part.concerns.includes(first)),
  )
  return left.some((concern) => concern.inSandbox === 'fails') ? { ...asked, failsInSandbox: true } : asked
}

/** A short text of the part. */
function partText(text: string): string {
  const line = makeVisible(text.replace(/\s+/g, ' '))
  return `This is about the part \`${line.length > 100 ? `${line.slice(0, 100)}…` : line}\`.`
}

const nothingRan = (parts: readonly unknown[]): string =>
  parts.length > 1 ? ' Nothing of the command line was run.' : ''

const inSandbox: PermissionDecision = { kind: 'allow', because: 'The command runs in the sandbox.' }

const WEIGHTS: readonly Concern['weight'][] = ['plain', 'secret', 'sensitive', 'denied']

/** Whether the sandbox keeps a command from changing anything but its agent's folder, and that needs no question. */
function isContained({ confined, sandbox }: PermissionConcern): boolean {
  return confined !== undefined && sandbox?.autoAllow === true
}

/** Why only reading is allowed, or null. */
function heldToReading(question: PermissionConcern): string | null {
  if (question.agent.readOnly) return readOnlyAgent
  return question.mode === 'plan' ? planMode : null
}

/** Whether the mode, or a rule for the whole command, settles a concern. */
function isSettled(question: PermissionConcern, concern: Concern, command: string): boolean {
  if (question.mode === 'bypassPermissions') return concern.weight !== 'sensitive'
  return concern.weight === 'plain' && ruleForWholeCommand(question.rules, command) !== null
}

function whyAllowed(
  question: PermissionConcern,
  parts: readonly JudgedPart[],
  concerns: readonly Concern[],
): string {
  if (concerns.length > 0)
    return question.mode === 'bypassPermissions'
      ? 'Allowed by the mode bypassPermissions.'
      : 'Allowed by a rule for exactly this command.'
  const rules = new Set(
    parts.flatMap((part) => (part.readOnly || part.rule === null ? [] : [ruleName(part.rule)])),
  )
  if (rules.size === 0) return 'The command only reads, and only inside the folder.'
  return `Allowed by ${rules.size > 1 ? 'the rules' : 'the rule'} ${[...rules].join(', ')}.`
}

/** Decides about a command that could not be parsed. */
function decideUnclear(question: PermissionConcern, command: string, because: string): PermissionDecision {
  const held = heldToReading(question)
  if (held && !isContained(question)) return { kind: 'deny', because: `${held} ${because}` }
  const { denied, only } = question.definitionRules
  if (only.some((rule) => covers(rule, 'command')))
    return {
      kind: 'deny',
      because: `${because} This agent's definition limits its commands, so this one is denied.`,
    }
  const mayBeDenied = denied.some((rule) => covers(rule, 'command'))
  const beyond = unclearWorktreeGit(question, command)
  const isHeld =
    mayBeDenied ||
    beyond !== null ||
    namesProtected(command) ||
    (question.dataFolder !== null && command.includes(question.dataFolder))
  if (isContained(question) && !isHeld) return inSandbox
  if (held) return { kind: 'deny', because: `${held} ${because}` }
  if (question.mode === 'bypassPermissions' && !isHeld)
    return { kind: 'allow', because: 'Allowed by the mode bypassPermissions.' }
  const rule = ruleForWholeCommand(question.rules, command)
  if (rule && !isHeld) return { kind: 'allow', because: `Allowed by the rule ${ruleName(rule)}.` }
  const limit = mayBeDenied ? 'Some commands are denied, so no rule and no mode allows this one.' : null
  const reason = [because, beyond, limit].filter((text) => text !== null).join(' ')
  return { ...ask(question, command, reason), offers: [] }
}

function ask(
  question: PermissionConcern,
  command: string,
  because: string,
): PermissionDecision & { kind: 'ask' } {
  return {
    kind: 'ask',
    subject: { kind: 'command', action: 'run a command', text: makeVisible(command), folder: question.cwd },
    because,
    alwaysRule: null,
    remedy: onlyTheUser,
  }
}
