import { describe, expect, test } from 'vitest'
import type { FormContent } from '../../../shared/forms/form.ts'
import { editorForm, editorFormAnswer } from './forms.ts'

const place = { sessionId: 's', toolCallId: 't', formId: 'f' }
const all = { fields: true, pages: true }
const none = { fields: false, pages: false }

const options = [
  { label: 'Yes', description: 'y' },
  { label: 'No', description: 'n' },
]
const questions: FormContent = {
  kind: 'questions',
  questions: [
    { question: 'Tea?', header: 'Tea', multiSelect: false, options },
    { question: 'Which?', header: 'Kind', multiSelect: true, options },
  ],
}
const ofServer: FormContent = {
  kind: 'elicitation',
  server: 'tea',
  message: 'How much?',
  schema: {
    type: 'object',
    properties: {
      cups: { type: 'integer', minimum: 1 },
      size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    },
    required: ['cups'],
  },
}
const page: FormContent = { kind: 'elicitation-url', server: 'tea', message: 'Pay', url: 'https://a.example' }

describe('a form of the editor', () => {
  test('has the options of each question, and a field for an answer of the user’s own', () => {
    const form = editorForm(questions, all, place)
    expect(form).toMatchObject({ mode: 'form', sessionId: 's', toolCallId: 't', message: 'Tea?\nWhich?' })
    const fields = form !== null && 'requestedSchema' in form ? form.requestedSchema : null
    expect(fields).toMatchObject({
      properties: {
        question_1: { type: 'string', title: 'Tea', oneOf: [{ const: 'Yes' }, { const: 'No' }] },
        question_1_own: { type: 'string' },
        question_2: { type: 'array', items: { anyOf: [{ const: 'Yes' }, { const: 'No' }] } },
      },
    })
    expect(fields).not.toHaveProperty('required')
  })

  test('has the fields of an MCP server, with the titles of their options', () => {
    expect(editorForm(ofServer, all, place)).toMatchObject({
      message: 'tea: How much?',
      requestedSchema: {
        properties: {
          cups: { type: 'integer', minimum: 1 },
          size: {
            type: 'string',
            oneOf: [
              { const: 's', title: 'Small' },
              { const: 'l', title: 'Large' },
            ],
          },
        },
        required: ['cups'],
      },
    })
  })

  test('is a page where the server wants one', () => {
    expect(editorForm(page, all, place)).toMatchObject({
      mode: 'url',
      url: 'https://a.example',
      elicitationId: 'f',
    })
  })

  test.each([questions, ofServer, page])('is not asked of an editor that does not show $kind', (form) => {
    expect(editorForm(form, none, place)).toBeNull()
  })

  test('is never a plan', () => {
    expect(editorForm({ kind: 'plan', plan: 'Do it.' }, all, place)).toBeNull()
  })
})

describe('an answer', () => {
  test('has the chosen options and the own words of each question', () => {
    const content = { question_1: 'Yes', question_1_own: ' ', question_2: ['No'], question_2_own: 'Green' }
    expect(editorFormAnswer({ action: 'accept', content }, questions)).toEqual({
      action: 'accept',
      values: { 'Tea?': ['Yes'], 'Which?': ['No', 'Green'] },
    })
  })

  test('has the fields of a server as they are', () => {
    const content = { cups: 2 }
    expect(editorFormAnswer({ action: 'accept', content }, ofServer)).toEqual({
      action: 'accept',
      values: content,
    })
    expect(editorFormAnswer({ action: 'accept' }, page)).toEqual({ action: 'accept', values: {} })
  })

  test('is a refusal, or nothing', () => {
    expect(editorFormAnswer({ action: 'decline' }, questions)).toEqual({ action: 'decline', feedback: null })
    expect(editorFormAnswer({ action: 'cancel' }, questions)).toEqual({ action: 'cancel', reason: 'user' })
    expect(editorFormAnswer({ action: 'something-new' }, questions)).toEqual({
      action: 'cancel',
      reason: 'user',
    })
  })
})
