import { expect, test } from 'vitest'
import { mergeMessage, messageText } from './merge-message.ts'

const work = { agentName: 'refactorer', task: 'One key for each order', branch: 'troupe/key-a91e' }

test('the subject names the work, and the body the agent and its branch', () => {
  expect(messageText(mergeMessage(work, 'merge'))).toBe(
    'Merge "One key for each order"\n\nAgent: refactorer\nBranch: troupe/key-a91e',
  )
  expect(mergeMessage(work, 'squash').subject).toBe('One key for each order')
})

test('a long task or one of several lines is cut in the subject and whole in the body', () => {
  const long = `${'word '.repeat(20)}end`
  for (const method of ['merge', 'squash'] as const) {
    const { subject, body } = mergeMessage({ ...work, task: long }, method)
    expect(subject).toHaveLength(72)
    expect(body.startsWith(`${long}\n\nAgent:`)).toBe(true)
  }
  expect(mergeMessage({ ...work, task: 'First.\nSecond.' }, 'squash')).toMatchObject({
    subject: 'First.',
    body: expect.stringContaining('First.\nSecond.\n\nAgent'),
  })
})

test('work without a task is named after its agent', () => {
  expect(mergeMessage({ ...work, task: ' ' }, 'merge').subject).toBe('Merge the work of refactorer')
  expect(mergeMessage({ ...work, task: '' }, 'squash').subject).toBe('Work of refactorer')
})

test('blank parts leave no blank lines', () => {
  expect(messageText({ subject: ' Why ', body: '\n' })).toBe('Why')
})
