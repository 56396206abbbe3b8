/** In the real window: the verification of changed files, and a usage limit that outlives a restart. */
import { expect, test } from '@playwright/test'
import { expectAccessible, machineOfEachTest, picture, send } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

async function open(scenario: string, more: object = {}) {
  const folder = await machine.repository('shop', { 'sum.js': 'module.exports = (a, b) => a + b\n' })
  await machine.scriptApi(scenario)
  const settings = { trustedFolders: [folder], ...more }
  return { window: await machine.open({ folder, settings }), folder }
}

test('changes are verified on request: the verdict has evidence, is in the conversation, and outlives a restart', async () => {
  const { window, folder } = await open(
    `
steps:
  - agent: /You verify a change/
    turn: 1
    reply: [{ tool: Bash, input: { command: "node -e \\"console.log(require('./sum.js')(1, 2))\\"", description: Try it } }]
  - agent: /You verify a change/
    reply: |
      I ran it: {{results}}

      VERDICT: failed
      SUMMARY: The sum of 1 and 2 is -1, so the sign is wrong.
      EVIDENCE:
      - The sum is wrong: \`node -e "console.log(require('./sum.js')(1, 2))"\`, exit code 0
      - It subtracts: sum.js:1
  - turn: 1
    reply: [{ tool: Write, input: { file_path: other.js, content: "// new" } }, { tool: Bash, input: { command: "echo 'module.exports = (a, b) => a - b' > sum.js", description: Change it } }]
  - reply: I changed sum.js.
`,
    { verification: 'ask', permissionMode: 'bypassPermissions', bypassFolders: [`${machine.base}/shop`] },
  )
  const { page } = window
  await send(page, 'Make it better')
  const question = page.getByRole('region', { name: 'Verify these changes?' })
  await expect(question).toBeVisible()
  await picture(window, 'verify-01-question')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Verify' }).press('Enter')
  const verdict = page.getByRole('region', { name: 'Verification failed' })
  await expect(verdict).toBeVisible({ timeout: 60_000 })
  await expect(verdict.getByText('The sum of 1 and 2 is -1')).toBeVisible()
  await expect(verdict.getByRole('list', { name: 'Evidence' })).toContainText('sum.js:1')
  await picture(window, 'verify-02-verdict')
  await expectAccessible(page)
  // The verifier really ran the changed file, in its own worktree.
  const results = (await machine.events()).flatMap((event) =>
    event.type === 'tool-ended' && event.name === 'Bash' ? [JSON.stringify(event.content)] : [],
  )
  expect(results.some((content) => content.includes('-1'))).toBe(true)
  await machine.close()
  const again = await machine.open({ folder })
  await again.page
    .getByRole('listitem')
    .getByRole('button', { name: /Make it better/ })
    .click()
  await expect(again.page.getByRole('region', { name: 'Verification failed' })).toBeVisible()
  await again.page.getByRole('button', { name: 'Send to the agent to fix' }).press('Enter')
  await expect(again.page.getByText('Fix what it found').first()).toBeVisible()
  expect(window.errors.concat(again.errors)).toEqual([])
})

test('a usage limit hours away: agents show its end and their place, and continue after a restart', async () => {
  const { window, folder } = await open(`
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Agent
        repeat: 6
        input: { description: "look at part {{n}}", subagent_type: Explore, prompt: "Part {{n}}" }
  - agent: /Part (\\d)/
    fault: { status: 429, type: rate_limit_error, message: Usage limit reached., retryAfter: 7800, times: always }
    reply: Done.
  - reply: I see.
`)
  const { page } = window
  await send(page, 'Look at all parts')
  await expect(page.getByRole('button', { name: /^Rate limited until .* 6 agents/ })).toBeVisible({
    timeout: 30_000,
  })
  await expect(page.getByText(/\(in 2 h \d+ min\).* 1 of 6/).first()).toBeVisible()
  await picture(window, 'verify-03-limit')
  await expectAccessible(page)
  const asked = machine.asked().length
  await machine.close()
  const again = await machine.open({ folder })
  await again.page
    .getByRole('listitem')
    .getByRole('button', { name: /Look at all parts/ })
    .click()
  await expect(again.page.getByRole('button', { name: /Continue all at/ }).first()).toBeVisible()
  await picture(again, 'verify-04-restart')
  await expectAccessible(again.page)
  await again.page
    .getByRole('button', { name: /Continue all at/ })
    .first()
    .press('Enter')
  await expect(again.page.getByRole('button', { name: /^Rate limited until .* agents/ })).toBeVisible()
  expect(machine.asked().length).toBe(asked)
  expect(window.errors.concat(again.errors)).toEqual([])
})
