/** What an agent asks the user, and what it may do unasked: the events, and what waits for an answer. */
import { z } from 'zod'
import { externalAgentChoice } from '../external-agents/external-agent.ts'
import { formAnswer, formContent } from '../forms/form-schema.ts'
import { confinement } from '../permissions/confinement.ts'
import { type PermissionMode, permissionModes } from '../permissions/permission-modes.ts'
import { declareEvent } from './event-schema.ts'

export type { PermissionMode }
export const permissionMode = z.enum(permissionModes)

/** The mode of an agent. */
export const effectiveMode = {
  permissionMode,
  /** Whether calls that would ask are denied although the mode asks: `plan` combined with `dontAsk`. */
  neverAsks: z.boolean().default(false),
}

/** One command of a command line, or the file of another call. */
const subjectPart = z.object({
  text: z.string(),
  /** Its place among the steps of the command line, from 1. The commands of a pipeline are one step. */
  step: z.number().int().positive(),
  /** Set if it runs only after the step before has failed. */
  afterFailure: z.literal(true).optional(),
  /** Set if it may do harm that can't be taken back. */
  danger: z
    .object({
      /** No rule is offered for what deletes and for what shows secrets. */
      kind: z.enum(['deletes', 'secret', 'other']),
      /** One sentence. */
      consequence: z.string(),
    })
    .optional(),
})
export type SubjectPart = Readonly<z.infer<typeof subjectPart>>

/** The display of a permission request. `text` is the exact command, path, diff or URL. */
const permissionSubject = z.object({
  kind: z.enum(['command', 'file', 'diff', 'url', 'other']),
  /** "run a command", "write a file": completes "AGENT wants to …". */
  action: z.string(),
  text: z.string(),
  folder: z.string(),
  /** How a command would run; missing where there is no sandbox. */
  confinement: confinement.optional(),
  /** In the order in which they run; missing where nothing is known about them. */
  parts: z.array(subjectPart).readonly().optional(),
})
export type PermissionSubject = z.infer<typeof permissionSubject>

/** A rule that "Always allow" can add. */
const ruleOffer = z.object({
  rule: z.string(),
  /** What the rule allows beside this call, as a noun phrase; missing: nothing. */
  alsoCovers: z.string().optional(),
})
export type RuleOffer = z.infer<typeof ruleOffer>

const askingCall = { toolUseId: z.string(), toolName: z.string() }

const permissionRequest = {
  requestId: z.string(),
  ...askingCall,
  subject: permissionSubject,
  /** Why the call needs permission. */
  because: z.string(),
  /** The rule that "Always allow" adds; null if it is not offered. */
  alwaysRule: z.string().nullable(),
  /** The rules that "Always allow" can add, the narrowest first: that is `alwaysRule`. See `offersOf`. */
  ruleOffers: z.array(ruleOffer).readonly().optional(),
  /** Answers that an external agent offers. Where one is `once`, it stands for a plain permission. */
  choices: z.array(externalAgentChoice).readonly().optional(),
}

const openForm = { formId: z.string(), ...askingCall, form: formContent }

export const permissionEvents = [
  declareEvent('permission-asked', {
    ...permissionRequest,
    /** How the user could allow such a call beforehand, for the denial of a request that nobody can answer. */
    remedy: z.string().default(''),
  }),
  declareEvent('permission-answered', {
    requestId: z.string(),
    toolUseId: z.string(),
    decision: z.enum(['allow-once', 'allow-always', 'deny', 'withdrawn']),
    /** The user's feedback with a denial, for the agent. */
    feedback: z.string().nullable(),
    /** The rule that the answer saved, or that answered. */
    rule: z.string().optional(),
    /** The name of the program's answer that the user chose. */
    choice: z.string().optional(),
    /** Set if the rules changed and now decide about the call; otherwise the user answered. */
    answeredBy: z.literal('rules').optional(),
  }),
  declareEvent('permission-mode-changed', effectiveMode),
  /** A call asks the user with a form. */
  declareEvent('form-opened', openForm),
  declareEvent('form-closed', { formId: z.string(), toolUseId: z.string(), answer: formAnswer }),
] as const

/** A pending permission request. `askedAt`: ms since the epoch. */
const pendingRequest = z.object({ ...permissionRequest, askedAt: z.number() })
export type PendingRequest = Readonly<z.infer<typeof pendingRequest>>

/** A permission request that was answered. */
const answeredRequest = z.object({
  requestId: z.string(),
  toolName: z.string(),
  /** "run a command", "write src/a.ts": completes "AGENT wanted to …". */
  action: z.string(),
  /** The first line of the command, path or address; empty for a change of a file. */
  text: z.string(),
  decision: z.enum(['allow-once', 'allow-always', 'deny']),
  /** The user's feedback with a denial. */
  feedback: z.string().nullable(),
  /** The rule that the answer saved, or that answered; null: none. */
  rule: z.string().nullable(),
  /** `rules`: a change of the rules decided about the call. */
  answeredBy: z.enum(['user', 'rules']),
  /** ms since the epoch. */
  at: z.number(),
})
export type AnsweredRequest = Readonly<z.infer<typeof answeredRequest>>

/** A form that waits for the user. `openedAt`: ms since the epoch. */
const pendingForm = z.object({ ...openForm, openedAt: z.number() })
export type PendingForm = Readonly<z.infer<typeof pendingForm>>

export const permissionState = {
  ...effectiveMode,
  neverAsks: z.boolean(),
  requests: z.array(pendingRequest),
  /** The last answered permission requests, oldest first. */
  answered: z.array(answeredRequest),
  /** Forms that wait for the user's answer. */
  forms: z.array(pendingForm),
}
