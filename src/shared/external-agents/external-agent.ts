/** What is known about an external agent that carries out an agent. */
import { z } from 'zod'

/** The program as it calls itself. `title` is for display; `version` may be empty. */
export const externalAgentName = z.object({ name: z.string(), title: z.string(), version: z.string() })

/** What the program can do beside answering prompts. */
export const externalAgentAbilities = z.object({
  /** Whether a later process of the program can continue the session. */
  resume: z.boolean(),
  images: z.boolean(),
})

/** A choice that the program offers for a session. `current` is the id of one of `values`. */
export const externalAgentOption = z.object({
  id: z.string(),
  name: z.string(),
  category: z.enum(['mode', 'model', 'effort', 'other']),
  current: z.string(),
  values: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })).readonly(),
})
export type ExternalAgentOption = z.infer<typeof externalAgentOption>

/** A command that the user may type as `/name`. `hint`: what may follow it; null: nothing. */
export const externalAgentCommand = z.object({
  name: z.string(),
  description: z.string(),
  hint: z.string().nullable(),
})

/**
 * A way to log in. `agent`: the program does it itself, mostly in a browser. `terminal`: the user runs `command`, then
 * the agent tries again. `environment`: the program reads `variables`, which the user sets before Troupe starts.
 */
export const loginMethod = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  kind: z.enum(['agent', 'terminal', 'environment']),
  /** With `terminal`: the command line. */
  command: z.string().nullable().default(null),
  /** With `environment`: their names. */
  variables: z.array(z.string()).readonly().default([]),
})
export type LoginMethod = z.infer<typeof loginMethod>

/** How the program got its session. `loaded` and `resumed`: it continues the one of an earlier run. */
export const sessionBeginning = z.enum(['new', 'loaded', 'resumed'])

export const externalAgent = z.object({
  ...externalAgentName.shape,
  /** Null: no session has begun. */
  sessionId: z.string().nullable(),
  can: externalAgentAbilities,
  options: z.array(externalAgentOption).readonly(),
  commands: z.array(externalAgentCommand).readonly(),
  /** Set while the program wants a login. Without methods it offers none. */
  login: z.object({ methods: z.array(loginMethod).readonly(), message: z.string() }).nullable(),
  /** Whether it reported what its work costs, and its tokens, at least once. */
  reportsCost: z.boolean(),
  reportsTokens: z.boolean(),
})
export type ExternalAgent = z.infer<typeof externalAgent>

/** An answer that an external agent offers to its request, besides those of Troupe. */
export const externalAgentChoice = z.object({
  id: z.string(),
  /** As the program calls it: "Yes, and auto-accept edits". */
  name: z.string(),
  /** `once` and `always` allow the call. What `always` covers, the program keeps: it is no rule of Troupe. */
  kind: z.enum(['once', 'always', 'deny']),
})
export type ExternalAgentChoice = z.infer<typeof externalAgentChoice>

/** The offered choice that an answer names. Undefined: it names none, or one that says the opposite of its decision. */
export const chosenByAnswer = (
  choices: readonly ExternalAgentChoice[],
  answer: { readonly decision: string; readonly choice?: string | undefined },
): ExternalAgentChoice | undefined =>
  choices.find(({ id, kind }) => id === answer.choice && (kind === 'deny') === (answer.decision === 'deny'))
