/** The whole tutorial in the real window, by the keyboard, with a kill in the middle. */
import { expect, type Locator, type Page, test } from '@playwright/test'
import { allowOnce, composer, expectAccessible, machineOfEachTest, picture } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const guide = (page: Page) => page.getByRole('complementary', { name: 'Tutorial' })
/** Presses a button of the guide. */
const press = (page: Page, name: string) => guide(page).getByRole('button', { name }).press('Enter')
const shows = (page: Page, text: string) => expect(guide(page)).toContainText(text, { timeout: 60_000 })
const done = (page: Page, amount: number) => shows(page, `${amount} of 7 done`)

/** Allows each request until this is there. */
async function allowUntil(page: Page, there: Locator): Promise<void> {
  const allow = page.getByRole('button', { name: /^Allow once/ }).first()
  await expect(async () => {
    if ((await allow.count()) > 0) await allow.press('Enter', { timeout: 500 })
    await expect(there).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 60_000 })
}

/** Presses Tab until the focus is on the button. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name })).toBeFocused({ timeout: 300 })
  }).toPass()
}

test('from the first run to the end of the tutorial', async () => {
  test.setTimeout(300_000)
  const first = await machine.open({ settings: { theme: 'dark' } })
  const { page } = first
  await page.getByText('Where should agents work?').waitFor()
  await picture(first, 'tutorial-00-first-run')
  await tabTo(page, /Try the tutorial/)
  await page.keyboard.press('Enter')
  await expect(composer(page)).toHaveValue(/only 9.99 came back/)
  await shows(page, 'Send the task')
  await picture(first, 'tutorial-01-send')
  await expectAccessible(page)
  await expect(composer(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await done(page, 1)

  await shows(page, 'An agent asks before it changes a file')
  await picture(first, 'tutorial-02-answer')
  // The palette moves the focus to the guide.
  await page.keyboard.press('Control+K')
  await page.keyboard.type('tutorial')
  await page.keyboard.press('Enter')
  await expect(guide(page).getByRole('button', { name: 'Show me' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-pointed-at]')).toHaveCount(1)
  await allowOnce(page)
  await done(page, 2)

  // A rate limit counts down, and the tests ask.
  await expect(page.getByText(/Rate limited/).first()).toBeVisible()
  await picture(first, 'tutorial-03-rate-limit')
  await shows(page, 'goes in circles')
  await press(page, 'Show me')
  await expect(page.getByRole('article', { name: /Look for the cause/ })).toBeFocused()
  await picture(first, 'tutorial-04-stop')
  await page.keyboard.press('Control+Shift+S')
  await done(page, 3)
  await allowUntil(page, page.getByText('One test fails').first())

  await shows(page, 'waits for a message')
  await press(page, 'Show me')
  await expect(page.getByRole('article', { name: /Write the fix/ }).getByRole('textbox')).toBeFocused()
  await page.keyboard.type('The first one.')
  await picture(first, 'tutorial-05-message')
  await page.keyboard.press('Enter')
  await done(page, 4)
  await allowUntil(page, page.getByText('That is all I do by myself.').first())

  await shows(page, 'Open the changes of agents')
  await press(page, 'Show me')
  await expect(page.locator('[data-file-row][aria-current="true"]')).toContainText('NOTES.md')
  await picture(first, 'tutorial-06-undo')
  await page.keyboard.press('u')
  await page.getByRole('button', { name: /^Undo:/ }).press('Enter')
  await done(page, 5)

  await shows(page, 'ready in a worktree')
  await press(page, 'Show me')
  await expect(page.getByText('The first parts get the cents').first()).toBeVisible()
  await picture(first, 'tutorial-07-merge')
  await page.keyboard.press('m')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Merge.* into main/ })
    .press('Enter')
  await done(page, 6)

  await shows(page, 'end it as a crash does')
  await picture(first, 'tutorial-08-end')
  const gone = new Promise((resolve) => first.app.process().once('exit', (_code, signal) => resolve(signal)))
  await press(page, 'End the program now…')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'End the program' })
    .press('Enter')
    // Its answer dies with the program.
    .catch(() => {})
  expect(await gone).toBe('SIGKILL')
  machine.forget()

  const second = await machine.open()
  await done(second.page, 6)
  await shows(second.page, 'Nothing is lost')
  await picture(second, 'tutorial-09-restarted')
  await press(second.page, 'Show me')
  await expect(second.page.getByRole('button', { name: 'Continue all' })).toBeFocused()
  await second.page.keyboard.press('Enter')
  await shows(second.page, 'You have done all steps')
  await expect(second.page.getByText('I was resumed where I was').first()).toBeVisible()
  await picture(second, 'tutorial-10-done')
  await expectAccessible(second.page)
  await press(second.page, 'Close the tutorial')
  await expect(guide(second.page)).toHaveCount(0)
  expect([...first.errors, ...second.errors]).toEqual([])
})
