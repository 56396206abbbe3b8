/**
 * The survey of a coordinator: the same jobs, in the four phases. The script says what it does in each phase and what it
 * leaves out: it writes no code, so nothing is implemented.
 */
import type { Phase } from '../../../../shared/teams/team.ts'
import type { Conversation } from './read-conversation.ts'
import { counted, readReport } from './report.ts'
import type { Script, ToolCall } from './script.ts'
import { testsJob } from './survey-jobs.ts'
import { callsFor, type Gathered, mannedJobs, openingFor, resultsOf, type SurveyPlan } from './survey-plan.ts'

/** Null: no agent here can do a job. */
export function* gatherInPhases(conversation: Conversation, plan: SurveyPlan): Script<Gathered | null> {
  const manned = mannedJobs(conversation, plan)
  const reading = manned.filter(({ job }) => job !== testsJob)
  const testing = manned.filter(({ job }) => job === testsJob)
  const readers = callsFor(reading, plan)
  const testers = callsFor(testing, plan)
  if (readers.length + testers.length === 0) return null
  const heard: string[] = []

  const begun = yield {
    say: `${plan.opening}\n\nThis conversation is in coordinator mode, so I go through its four phases.`,
    calls: [
      setPhase('research', `${counted(readers.length, 'agent')} at work in the folder. Nothing is changed.`),
    ],
  }
  heard.push(...begun.words)
  const research =
    readers.length === 0
      ? { answers: [], words: [] }
      : yield {
          say: openingFor(
            { ...plan, opening: 'Research.' },
            reading.map(({ job }) => job),
          ),
          calls: readers,
        }
  heard.push(...research.words)
  const found = resultsOf(reading, research.answers)
  // The user stopped the agents: the remaining phases would only repeat that.
  if (heard.length > 0 && research.answers.every(({ ok }) => !ok))
    return { results: [...found, ...resultsOf(testing, [])], heard }

  const facts = research.answers.flatMap(({ ok, text }) => (ok ? (readReport(text)?.facts ?? []) : []))
  const synthesis = yield {
    say: `${counted(research.answers.filter(({ ok }) => ok).length, 'report')} with ${counted(facts.length, 'fact')} came back.`,
    calls: [setPhase('synthesis', 'I sort the facts by question. A script can’t judge or plan.')],
  }
  const implementation = yield {
    say: 'The facts are sorted. The next phase stays empty: a script can’t write code. With a model, agents would work on it now, each in a worktree of its own.',
    calls: [setPhase('implementation', 'Nothing is changed: a script can’t write code.')],
  }
  const verification = yield {
    calls: [
      setPhase(
        'verification',
        testers.length === 0
          ? 'Nothing was changed, so there is nothing to verify.'
          : 'Nothing was changed. The project’s own tests run if you allow it.',
      ),
    ],
  }
  const tests =
    testers.length === 0
      ? { answers: [], words: [] }
      : yield { say: 'The agent that runs the tests asks you first, in its panel.', calls: testers }
  heard.push(...[synthesis, implementation, verification, tests].flatMap(({ words }) => words))
  return { results: [...found, ...resultsOf(testing, tests.answers)], heard }
}

const setPhase = (phase: Phase, note: string): ToolCall => ({ tool: 'SetPhase', input: { phase, note } })
