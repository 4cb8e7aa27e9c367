// Names the modules of the API reference as a program imports them: plugboard, plugboard/session, plugboard/ai-sdk.
export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const door of project.children ?? []) {
      const name = door.name.replace(/^adapters\//u, '').replace(/(?:^|\/)index$/u, '');
      door.name = name === '' ? 'plugboard' : `plugboard/${name}`;
    }
  });
}
