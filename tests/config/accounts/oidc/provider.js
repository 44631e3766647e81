// An OpenID Connect provider on loopback. Arguments: the callback URL and the URL after the sign-out. It prints its port.
//
// Its own pages accept any password. The login is the subject and the claims as JSON:
// {"sub": "1", "email": "ana@example.org", "email_verified": true, "groups": ["pay"]}
import Provider from 'oidc-provider';
import http from 'node:http';

const [callback, afterSignOut] = process.argv.slice(2);
const server = http.createServer();
server.listen(0, '127.0.0.1', () => {
  const {port} = server.address();
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [{
      client_id: 'signalbox',
      client_secret: 'a-secret-for-this-test',
      redirect_uris: [callback],
      post_logout_redirect_uris: [afterSignOut],
    }],
    claims: {openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name']},
    features: {rpInitiatedLogout: {enabled: true}},
    cookies: {keys: ['a-key-for-this-test']},
    findAccount: (_, id) => ({accountId: id, claims: () => ({...JSON.parse(id), sub: JSON.parse(id).sub})}),
    ttl: {Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600},
  });
  server.on('request', provider.callback());
  console.log(port);
});
process.stdin.resume().on('end', () => process.exit());
