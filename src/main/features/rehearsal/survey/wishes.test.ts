import { describe, expect, test } from 'vitest'
import { wishIn } from './wishes.ts'

describe('the request in a further message', () => {
  test.each([
    'save this survey',
    'Save it, please.',
    'write it down',
    'Please note that',
    'keep the results',
    'save',
    'write everything to a file',
    'speichere das bitte',
    'schreib es auf',
    'enregistre ça',
    'guarda esto',
  ])('%s: the survey in a file', (text) => {
    expect(wishIn(text)).toEqual({ kind: 'save', file: 'troupe-survey.md' })
  })

  test.each([
    ['save it to notes/today.md', 'notes/today.md'],
    ['write the summary into SURVEY.md', 'SURVEY.md'],
    ['write it to ../../etc/passwd.md', 'troupe-survey.md'],
    ['write it to /etc/motd.txt', 'troupe-survey.md'],
    ['write it to C:\\survey.md', 'troupe-survey.md'],
  ])('%s: in %s', (text, file) => {
    expect(wishIn(text)).toEqual({ kind: 'save', file })
  })

  test.each([
    'write a test for the parser',
    'Where does the program save its settings?',
    'the note field is empty',
    'store.save throws after login',
  ])('%s: a search for other words', (text) => {
    expect(wishIn(text).kind).toBe('survey')
  })

  test.each(['thanks', 'Thank you, great!', 'Are you a real model?', 'ok', 'who are you?', ''])(
    '%s: conversation only',
    (text) => {
      expect(wishIn(text)).toEqual({ kind: 'talk' })
    },
  )

  test.each(['again', 'Once more, please', 'noch einmal bitte'])('%s: the same survey again', (text) => {
    expect(wishIn(text)).toEqual({ kind: 'again' })
  })
})
