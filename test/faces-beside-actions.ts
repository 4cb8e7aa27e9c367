/** What verbs load before they are run, beside what all of them may. Nothing may join; what is mended is taken off. */
export const loadedByVerbs: readonly string[] = [
  'cli/verbs/import.ts loads config/problem.js',

];

/** Files of the terminal that import other rooms than actions, model and base, and not by a public door. None may join; those that leave are taken off. */
export const facesBesideActions: readonly string[] = [
  'cli/ad-hoc.ts',
  'cli/add-entry.ts',
  'cli/approval-text.ts',
  'cli/approve-diff.ts',
  'cli/approve-lock.ts',
  'cli/approve-tool.ts',


  'cli/dialogs/question-desk.ts',
  'cli/dialogs/url-dialog.ts',
  'cli/fresh-connectors.ts',
  'cli/io.ts',
  'cli/load-to-start.ts',
  'cli/load.ts',
  'cli/login-account.ts',
  'cli/login-client.ts',



  'cli/one-prompt/open-prompt.ts',
  'cli/one-prompt/run-prompt.ts',
  'cli/open-host.ts',
  'cli/panel/act-in-panel.ts',
  'cli/panel/action-runner.ts',
  'cli/panel/detail-data.ts',
  'cli/panel/detail-lines.ts',
  'cli/panel/item-data.ts',
  'cli/panel/log-tail.ts',
  'cli/panel/panel-body.ts',
  'cli/panel/panel-data.ts',
  'cli/panel/panel-fixtures.ts',
  'cli/panel/panel-table.ts',
  'cli/panel/panel.ts',
  'cli/panel/token-book.ts',
  'cli/pin-servers.ts',
  'cli/run-action.ts',
  'cli/run-control.ts',
  'cli/run.ts',
  'cli/server-health.ts',
  'cli/server-view.ts',


  'cli/session/ask-waiting.ts',

  'cli/session/by-hand.ts',
  'cli/session/complete-arguments.ts',
  'cli/session/complete-mentions.ts',
  'cli/session/complete-tools.ts',
  'cli/session/news-text.ts',
  'cli/session/open-session.ts',



  'cli/session/server-news.ts',
  'cli/sign-in-screen.ts',
  'cli/verbs/add-json.ts',
  'cli/verbs/add.ts',
  'cli/verbs/approve.ts',
  'cli/verbs/complete.ts',
  'cli/verbs/doctor.ts',
  'cli/verbs/import.ts',
  'cli/verbs/list.ts',



  'cli/verbs/remove.ts',
  'cli/verbs/replay.ts',
  'cli/verbs/reset-project-choices.ts',
  'cli/verbs/trust.ts',
];
