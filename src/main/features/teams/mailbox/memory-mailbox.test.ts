/** The mailbox for runtime tests fulfills the same contract as the real mailbox. */
import { describe } from 'vitest'
import { createMemoryMailbox } from '../../../runtime/testing/plain-ports.ts'
import { testMailbox } from './testing/mailbox-contract.ts'

describe('a mailbox in memory', () => {
  testMailbox(async () => {
    const mailbox = createMemoryMailbox()
    return () => mailbox
  })
})
