/** `troupe agents test`. */
import { MOST_ATTEMPTS_A_CASE, USUAL_ATTEMPTS } from '../../../shared/agent-tests/agent-tests.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { readAmount } from '../../../shared/settings/limit-amounts.ts'
import { type Verbs, verb } from '../../command-line.ts'
import { checked, flag, ofFolder, repeatable, usage, valued } from '../../platform/command-line/verb.ts'

export const agentTestVerbs: Verbs = [
  verb({
    words: 'agents test',
    arguments: { names: '[NAME…]' },
    summary: 'run the cases of agents (default: of all that have some) and say what passed',
    options: {
      case: repeatable('FILE', 'only this case'),
      attempts: checked('N', `attempts of each version at each case (default: ${USUAL_ATTEMPTS})`, (given) =>
        /^\d{1,3}$/.test(given) && Number(given) >= 1 && Number(given) <= MOST_ATTEMPTS_A_CASE
          ? ok(Number(given))
          : usage(`--attempts must be a whole number from 1 to ${MOST_ATTEMPTS_A_CASE}, not "${given}".`),
      ),
      version: repeatable('V', 'what is tested: in-use (default), a commit, or a file with a definition'),
      model: repeatable('M', 'with this model instead of the definition’s own'),
      compare: flag('also test the version in use; fail only where another is worse than it'),
      'max-usd': checked(
        'N',
        'US dollars of all attempts together; at the limit they end (exit code 4)',
        (given) => {
          const amount = readAmount('usd', given)
          return amount === null || amount <= 0
            ? usage(`--max-usd must be US dollars above 0, such as 2 or 0.50, not "${given}".`)
            : ok(amount)
        },
      ),
      'stop-when-clear': flag('end the attempts at a case when more would change nothing'),
      fresh: flag('make all attempts, also where earlier ones are of equal content'),
      junit: valued('FILE', 'write the results as JUnit XML'),
      init: flag('write a first case for NAME to begin with, and run nothing'),
      ...ofFolder,
      rehearsal: flag('no key, no model: a script plays the agents'),
      scenario: valued('FILE', 'play a YAML scenario instead of calling a model'),
      json: flag('print one attempt per line, then a line with the result'),
    },
    refine: (values) => {
      if (values.rehearsal && values.scenario !== null)
        return usage('--rehearsal and --scenario exclude each other. Give only one.')
      if (values.init && values.names.length !== 1)
        return usage('--init needs one agent: troupe agents test NAME --init')
      return ok({ ...values, attempts: values.attempts ?? USUAL_ATTEMPTS })
    },
    run: async (root, options) => {
      const { testAgents } = await import('./test-command.ts')
      return await testAgents(root, options)
    },
  }),
]
