/** What is known about an external agent that carries out an agent. */
import { z } from 'zod'

/** The program as it calls itself. `title` is for display; `version` may be empty. */
export const programName = z.object({ name: z.string(), title: z.string(), version: z.string() })

/** What the program can do beside answering prompts. */
export const programAbilities = z.object({
  /** Whether a later process of the program can continue the session. */
  resume: z.boolean(),
  images: z.boolean(),
})

/** A choice that the program offers for a session. `current` is the id of one of `values`. */
export const programOption = z.object({
  id: z.string(),
  name: z.string(),
  category: z.enum(['mode', 'model', 'effort', 'other']),
  current: z.string(),
  values: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })).readonly(),
})
export type ProgramOption = z.infer<typeof programOption>

/** A command that the user may type as `/name`. `hint`: what may follow it; null: nothing. */
export const programCommand = z.object({
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

export const agentProgram = z.object({
  ...programName.shape,
  /** Null: no session has begun. */
  sessionId: z.string().nullable(),
  can: programAbilities,
  options: z.array(programOption).readonly(),
  commands: z.array(programCommand).readonly(),
  /** Set while the program wants a login. Without methods it offers none. */
  login: z.object({ methods: z.array(loginMethod).readonly(), message: z.string() }).nullable(),
  /** Whether it reported what its work costs, and its tokens, at least once. */
  reportsCost: z.boolean(),
  reportsTokens: z.boolean(),
})
export type AgentProgram = z.infer<typeof agentProgram>
