/** The stored form of teams, tasks and phases. */
import { z } from 'zod'
import { memberBackings, phases, taskStatuses } from './team.ts'

export const memberBacking = z.enum(memberBackings)

/**
 * Where an agent runs. `acp`: an external agent carries it out. `acp-child`: it is a subagent that such a
 * program started by itself.
 */
export const backingKind = z.enum([...memberBackings, 'acp', 'acp-child'])
export type BackingKind = z.infer<typeof backingKind>

/** Systems that a member may ask of its remote worker. */
export const workerPlatform = z.enum(['linux', 'macos', 'windows'])
export type WorkerPlatform = z.infer<typeof workerPlatform>

/** A named worker of a team. The leader is not a member. */
export const teamMember = z.object({
  /** Unique in the conversation. */
  name: z.string(),
  agentId: z.string(),
  /** The agent type. */
  agent: z.string(),
  backing: backingKind,
})
export type TeamMember = z.infer<typeof teamMember>

export const team = z.object({
  id: z.string(),
  /** Unique among the teams of the conversation that have not ended. */
  name: z.string(),
  leaderId: z.string(),
  members: z.array(teamMember),
  /** ms since the epoch. */
  createdAt: z.number(),
  /** Since when its members are asked to finish; null: they are not. Ms since the epoch. */
  endingAt: z.number().nullable().default(null),
  /** Null: the team works. */
  endedAt: z.number().nullable(),
})
export type Team = z.infer<typeof team>

export const taskStatus = z.enum(taskStatuses)

/** A change of a task: who made it, and what the task was after it. */
const taskChange = z.object({
  /** ms since the epoch. */
  at: z.number(),
  /** An agent; null: the user. */
  by: z.string().nullable(),
  status: taskStatus,
  owner: z.string().nullable(),
  /** What it waits for; missing: that did not change. */
  dependsOn: z.array(z.string()).optional(),
})
export type TaskChange = z.infer<typeof taskChange>

/** A task of the task list that the agents of a conversation share. */
export const teamTask = z.object({
  /** `1`, `2`, … in the conversation. */
  id: z.string(),
  /** The team of the agent that created the task; null: it has none. */
  teamId: z.string().nullable(),
  subject: z.string(),
  description: z.string(),
  status: taskStatus,
  /** The agent that has claimed the task; null: nobody has. */
  owner: z.string().nullable(),
  /** Ids of tasks that must be completed before this one can be claimed. */
  dependsOn: z.array(z.string()),
  /** The agent that created the task; null: the user. */
  createdBy: z.string().nullable(),
  /** Times in ms since the epoch. */
  createdAt: z.number(),
  claimedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  /** What came out, in the words of the agent that completed the task; missing: it said nothing. */
  result: z.string().optional(),
  /** The last changes after the creation, oldest first; missing: none, or made by an earlier version. */
  history: z.array(taskChange).optional(),
  /** Counts the changes from 1. A change names the version that it replaces, so that of two claims one fails. */
  version: z.number().int().positive(),
})
export type TeamTask = z.infer<typeof teamTask>

export const phase = z.enum(phases)

/** A phase that a coordinator has begun. The next one ends it. */
export const phaseEntry = z.object({
  phase,
  /** The coordinator's plan for the phase in a sentence; may be empty. */
  note: z.string(),
  /** ms since the epoch. */
  at: z.number(),
})
export type PhaseEntry = z.infer<typeof phaseEntry>
