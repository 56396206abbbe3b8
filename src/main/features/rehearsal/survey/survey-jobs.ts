/** All jobs of the survey, and the choice of an agent for each. */
import { historyJob } from './jobs/history-job.ts'
import { layoutJob } from './jobs/layout-job.ts'
import { notesJob } from './jobs/notes-job.ts'
import { testsJob } from './jobs/tests-job.ts'
import { wordsJob } from './jobs/words-job.ts'
import type { Conversation } from './read-conversation.ts'
import type { SurveyJob } from './survey-job.ts'

export { historyJob, layoutJob, notesJob, testsJob, wordsJob }

/** In the order of their starts: the job that asks the user is last. */
export const surveyJobs: readonly SurveyJob[] = [wordsJob, layoutJob, historyJob, notesJob, testsJob]

/** The agent for a job: a suitable one, otherwise any agent with the needed tools; null if there is none. */
export function agentFor(job: SurveyJob, { agentTypes }: Pick<Conversation, 'agentTypes'>): string | null {
  if (agentTypes.size === 0) return job.agents[0] ?? null
  const has = (tools: readonly string[], need: string) => tools.includes('all') || tools.includes(need)
  const able = [...agentTypes].filter(([, tools]) => job.needs.every((need) => has(tools, need)))
  const suited = job.agents.find((wanted) => able.some(([name]) => name === wanted))
  return suited ?? able[0]?.[0] ?? null
}
