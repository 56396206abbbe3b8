/** Answers the commands of the test bench from a snapshot. A run begins, and does not go on. */
import { type FakeHandlers, Refusal } from '../../src/renderer/testing/fake-handlers.ts'
import type { AgentTestsSnapshot } from '../../src/shared/agent-tests/agent-tests.ts'
import { caseText, firstCaseText } from '../../src/shared/agent-tests/case-file.ts'
import { sceneVersion, sceneVersions } from './scenes/agent-tests.ts'

export function agentTestHandlers(world: { readonly agentTests: AgentTestsSnapshot | null }) {
  const bench = (folder: string): AgentTestsSnapshot =>
    world.agentTests ?? {
      ...{ folder, agents: [], cases: [], problems: [], runs: [], attempts: [], refusal: null },
    }
  return {
    'agentTests.state': ({ folder }) => bench(folder),
    'agentTests.versions': () => sceneVersions(Date.now()),
    'agentTests.resolve': ({ versions }) => versions.map((ref) => sceneVersion(ref, Date.now())),
    'agentTests.estimate': ({ folder, versions, attempts }) => {
      const { cases, attempts: known } = bench(folder)
      const own = cases.filter(({ agent }) => agent === 'security-reviewer')
      const ids = versions.map((ref) => sceneVersion(ref, Date.now()).id)
      const reused = known.filter(
        ({ versionId, number, caseFile }) =>
          ids.includes(versionId) && number <= attempts && own.some(({ file }) => file === caseFile),
      ).length
      const all = own.length * versions.length * attempts
      return { attempts: all - reused, reused, usd: (all - reused) * 0.1292, ms: 60_000 }
    },
    'agentTests.run': () => ({ runId: 'run-9' }),
    'agentTests.readCase': ({ folder, file }) => {
      const found = bench(folder).cases.find((one) => one.file === file)
      return { text: found === undefined ? firstCaseText : caseText(found) }
    },
    'agentTests.draftCase': ({ agentId }) => {
      if (agentId === 'nobody') throw new Refusal('This agent has no task yet.')
      const [one] = bench('').cases
      return {
        agent: 'security-reviewer',
        name: 'Find the double charge',
        text: one === undefined ? firstCaseText : caseText(one),
      }
    },
  } satisfies FakeHandlers
}
