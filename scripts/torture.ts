/**
 * `npm run torture`: kills the real program repeatedly and checks its promises.
 * `--rounds N` (500), `--seed N` (as printed by an earlier run), `--only ROUND`,
 * `--crew plain|lively|apart` (default: alternating).
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crewNames, torture } from '../src/main/testing/torture/torture.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    only: { type: 'string' },
    crew: { type: 'string' },
  },
})
const crews = crewNames.filter((name) => values.crew === undefined || values.crew === name)
if (crews.length === 0) {
  console.error(`--crew wants ${crewNames.join(' or ')}, not "${values.crew}".`)
  process.exit(2)
}
const rounds = whole('rounds', values.rounds)
const seed = whole('seed', values.seed)
const only = values.only === undefined ? undefined : whole('only', values.only)

console.error(`${only === undefined ? `${rounds} rounds` : `round ${only}`} with seed ${seed}`)
let done = 0
const outcome = await torture({
  rounds,
  seed,
  crews,
  only,
  program: join(import.meta.dirname, '..', 'out', 'cli.mjs'),
  onRound: (round, { folder, lost, doubled, problems }) => {
    if (++done % 25 === 0) console.error(`${done} rounds`)
    if (folder === null) return
    console.error(`Round ${round} failed; its data is kept in ${folder}`)
    for (const line of [...lost, ...doubled, ...problems].slice(0, 20)) console.error(`  ${line}`)
  },
})

const { failed, cutOff, resumed } = outcome
console.log(`rounds                ${outcome.rounds} (${outcome.killed} kills, seed ${seed})
events acknowledged   ${outcome.acknowledged}
lost                  ${outcome.lost}
side effects          ${outcome.effects}, of them twice: ${outcome.doubled}
unknown outcomes      ${outcome.unknownOutcomes}, each reported to its agent
resumed               ${resumed} of ${cutOff} agents that were cut off`)
for (const { round } of failed)
  console.log(
    `failed: round ${round}. Again: npm run torture -- --seed ${seed} --only ${round}${values.crew === undefined ? '' : ` --crew ${values.crew}`}`,
  )
process.exitCode = failed.length === 0 && resumed === cutOff ? 0 : 1

function whole(name: string, text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  console.error(`--${name} must be a whole number, not "${text}".`)
  process.exit(2)
}
