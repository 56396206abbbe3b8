/** All jobs of the survey, and who takes them. */
import { historyJob } from './jobs/history-job.ts'
import { layoutJob } from './jobs/layout-job.ts'
import { notesJob } from './jobs/notes-job.ts'
import { testsJob } from './jobs/tests-job.ts'
import { wordsJob } from './jobs/words-job.ts'
import type { Conversation } from './read-conversation.ts'
import type { SurveyJob } from './survey-job.ts'

export { historyJob, layoutJob, notesJob, testsJob, wordsJob }

/** In the order in which they are started: the one that asks the user comes last. */
export const surveyJobs: readonly SurveyJob[] = [wordsJob, layoutJob, historyJob, notesJob, testsJob]

/** The agent that takes a job: one that suits it, else any that has what it needs; null where there is none. */
export function agentFor(job: SurveyJob, { agentTypes }: Pick<Conversation, 'agentTypes'>): string | null {
  if (agentTypes.size === 0) return job.agents[0] ?? null
  const able = [...agentTypes].filter(([, tools]) => job.needs.every((need) => tools.includes(need)))
  const suited = job.agents.find((wanted) => able.some(([name]) => name === wanted))
  return suited ?? able[0]?.[0] ?? null
}
