/** The templates of messages in one language. */
// Written from core/src/message/locale/fr.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

export const fr = () =>
  'fr\u001e' +
  'up-to-one\u001e' +
  '{n} seconde|{n} secondes\u001e' +
  '{n} minute|{n} minutes\u001e' +
  '{n} heure|{n} heures\u001e' +
  '{n} jour|{n} jours\u001e' +
  'Veuillez réessayer dans environ {wait}.\u001e' +
  'Veuillez réessayer dans un instant.\u001e' +
  'Détails techniques : {detail}\u001e' +
  'Attendu : {expected}\nReçu : {got}\u001e' +
  '[provider|{provider}|Le service d’IA] a renvoyé une réponse vide. Causes possibles :\n• la demande manquait de clarté ou était trop vaste\n• les règles de sécurité du service ont retenu la réponse\n• le service était très sollicité ou a eu un bref problème interne\n• une limite de demandes ou d’utilisation était atteinte\n\nCe que vous pouvez faire :\n• Dites autrement ce que vous souhaitez\n• Divisez une grande tâche en étapes plus petites\n• Réessayez dans un instant\u001e' +
  '[provider|{provider}|Le service d’IA] a renvoyé une réponse vide. Dites autrement ce que vous souhaitez ou demandez moins à la fois.\u001e' +
  'La connexion [provider|à {provider}|au service] s’est interrompue pendant la réception de la réponse. [internet|Vérifiez votre connexion internet. |]{again}\u001e' +
  'La réponse s’est interrompue avant d’être complète. {again}\u001e' +
  'La demande a été annulée, car l’assistant a été arrêté. Redémarrez-le, puis envoyez votre demande.\u001e' +
  'La demande a été annulée, car l’assistant a été arrêté. {again}\u001e' +
  'Toutes les demandes autorisées sur cette période ont déjà été envoyées[provider| à {provider}|]. {again}\u001e' +
  'L’assistant reçoit plus de demandes qu’il ne peut en traiter. {again}\u001e' +
  'La limite de dépenses fixée pour les demandes de l’assistant est atteinte ; plus aucune n’est envoyée pour le moment. {again}\u001e' +
  'L’assistant a atteint sa limite d’utilisation pour le moment. {again}\u001e' +
  '[provider|{provider}|Le service] ne peut pas accepter davantage de demandes à la fois en ce moment. {again}\u001e' +
  '\u001e' +
  '[tool|Aucun outil ne s’appelle « {tool} »|L’outil choisi par l’assistant n’existe pas] ; cette étape n’a pas pu être effectuée. Réessayez ou décrivez la tâche autrement.\u001e' +
  '\u001e' +
  '[provider|{provider}|Le service d’IA] ne peut pas poursuivre cette conversation telle quelle. Commencez une nouvelle conversation ou choisissez un autre modèle.\u001e' +
  'L’assistant ne peut pas poursuivre cette conversation telle quelle. Commencez une nouvelle conversation. Si cela ne suffit pas, les personnes qui s’occupent de l’assistant doivent y remédier.\u001e' +
  '[provider|{provider}|Le service d’IA] n’a pas pu traiter une pièce jointe de cette conversation. Retirez-la ou envoyez-la dans un autre format. Si cela ne suffit pas, commencez une nouvelle conversation.\u001e' +
  '\u001e' +
  'Aucune demande n’est envoyée [provider|à {provider}|au service] pour le moment. {again}\u001e' +
  '\u001e' +
  '[provider|{provider}|Le service] a rencontré des problèmes ; seule une partie des demandes lui est envoyée pour le moment. {again}\u001e' +
  '\u001e' +
  '[provider|{provider}|Le service d’IA] n’est pas encore configuré. Ajoutez sa clé API dans les paramètres, puis réessayez.\u001e' +
  '[provider|{provider}|Ce service d’IA] ne peut pas être utilisé pour cela. Choisissez un autre service d’IA dans les paramètres.\u001e' +
  '[provider|{provider}|Le service] n’a pas accepté la clé API. Vérifiez-la dans les paramètres : elle est peut-être mal saisie, expirée ou désactivée.\u001e' +
  'Trop de demandes ont été envoyées [provider|à {provider}|au service] en peu de temps. {again}\u001e' +
  '[model|Le modèle « {model} »|Le modèle choisi] n’est pas disponible[provider| chez {provider}|]. Vérifiez son nom dans les paramètres ou choisissez un autre modèle.\u001e' +
  'Cette conversation est trop longue pour le modèle[model| « {model} »|]. Raccourcissez votre demande, retirez des pièces jointes ou commencez une nouvelle conversation.\u001e' +
  'Impossible de se connecter [provider|à {provider}|au service]. [internet|Vérifiez votre connexion internet.|Vérifiez que le service fonctionne et qu’il est accessible.] {again}\u001e' +
  '[provider|{provider}|Le service] a mis trop de temps à répondre. {again} Si le problème persiste, essayez une demande plus courte.\u001e' +
  '[provider|{provider}|Le service] a envoyé une réponse qui n’a pas pu être comprise. Causes possibles :\n• la connexion a été coupée avant la fin de la réponse\n• le service a eu un bref problème interne\n• le service a changé sa façon de répondre\n\nCe que vous pouvez faire :\n• Réessayez dans un instant\n• Demandez une réponse plus courte ou plus simple\n• Si le problème persiste, choisissez un autre modèle ou contactez l’assistance\u001e' +
  'Un problème inattendu est survenu[provider| avec {provider}|]. {again} S’il persiste, contactez l’assistance.\u001e' +
  '[provider|{provider}|Le service] rencontre des problèmes techniques ; votre demande n’est pas en cause. {again}\u001e' +
  '[provider|{provider}|Le service] est très sollicité en ce moment. {again}\u001e' +
  'Le crédit de votre compte [provider|{provider}|auprès du service] est épuisé, ou sa limite d’utilisation est atteinte. [wait|Le renouvellement devrait avoir lieu dans environ {wait}. |]Vérifiez l’abonnement et la facturation du compte, ou utilisez un autre service.\u001e' +
  'Les règles de sécurité appliquées par [provider|{provider}|le service d’IA] ont bloqué cette demande ou sa réponse. Reformulez votre demande et évitez les contenus sensibles.\u001e' +
  'Votre compte[provider| {provider}|] n’est pas autorisé à faire cela. Demandez à un administrateur de vous donner accès, ou utilisez un autre compte.\u001e' +
  '[provider|{provider} n’a pas pu traiter la demande de l’assistant|Cette demande n’a pas pu être traitée] : une information manque ou n’est pas valide. Commencez une nouvelle conversation, décrivez autrement ce que vous souhaitez ou vérifiez les paramètres.\u001e' +
  'L’élément demandé est introuvable[provider| chez {provider}|]. Vérifiez le nom ou l’adresse : il a peut-être été déplacé ou supprimé.\u001e' +
  'La demande a été annulée. Vous pouvez la renvoyer quand vous le souhaitez.\u001e' +
  'Un fichier n’a pas pu être lu ou enregistré. Vérifiez qu’il existe, que vous avez le droit de l’utiliser et qu’il reste assez d’espace libre.\u001e' +
  'Un paramètre manque ou est incorrect. Vérifiez les paramètres, puis réessayez.\u001e' +
  '[tool|L’outil « {tool} »|Un outil] a besoin de plus d’indications pour continuer. Décrivez plus en détail ce que vous souhaitez, puis réessayez.\u001e' +
  'La tâche demandait plus d’étapes qu’il n’est permis et a été arrêtée. Divisez-la en tâches plus petites ou décrivez-la plus précisément.\u001e' +
  '[tool|L’outil « {tool} »|Un outil] n’a pas pu terminer son travail. Réessayez ou décrivez la tâche autrement.\u001e' +
  'L’assistant n’a pas pu démarrer. Vérifiez les paramètres, puis redémarrez-le. Si cela ne suffit pas, contactez l’assistance.\u001e' +
  '[provider|{provider}|Le service] a échoué plusieurs fois de suite ; aucune demande ne lui est envoyée pour le moment. {again}\u001e' +
  'Trop de demandes sont déjà en cours. {again}\u001e' +
  'Quelqu’un d’autre a modifié cet élément au même moment[provider| chez {provider}|] ; votre modification n’a pas été appliquée. {again}\u001e' +
  'Cet élément existe déjà[provider| chez {provider}|]. Choisissez un autre nom ou modifiez celui qui existe.\u001e' +
  'L’assistant n’est pas encore entièrement configuré. Réessayer ne servira à rien tant que les personnes qui s’en occupent n’auront pas terminé.\u001e' +
  'L’assistant ne peut pas répondre pour le moment. Réessayer ne servira à rien tant que les personnes qui s’en occupent n’y auront pas remédié.\u001e' +
  'L’assistant ne peut pas répondre pour le moment. Réessayer ne servira à rien tant que les personnes qui s’en occupent n’y auront pas remédié.\u001e' +
  '\u001e' +
  'L’assistant ne peut pas répondre pour le moment. Réessayer ne servira à rien tant que les personnes qui s’en occupent n’y auront pas remédié.\u001e' +
  '\u001e' +
  'L’assistant n’a pas pu joindre [provider|{provider}|un service dont il a besoin]. {again} Si le problème persiste, les personnes qui s’occupent de l’assistant doivent y remédier.\u001e' +
  '\u001e' +
  '[provider|{provider}|Le service] a envoyé une réponse que l’assistant n’a pas pu comprendre. {again} Si le problème persiste, les personnes qui s’occupent de l’assistant doivent y remédier.\u001e' +
  'Un problème inattendu est survenu. {again} S’il persiste, les personnes qui s’occupent de l’assistant doivent y remédier.\u001e' +
  '\u001e' +
  '\u001e' +
  'L’assistant a épuisé ce qu’il peut utiliser pour le moment. [wait|Veuillez réessayer dans environ {wait}.|Réessayer ne servira à rien tant que les personnes qui s’en occupent n’y auront pas remédié.]\u001e' +
  '\u001e' +
  'L’assistant n’est pas autorisé à faire cela[provider| chez {provider}|]. Réessayer ne servira à rien : seules les personnes qui s’en occupent peuvent changer cela.\u001e' +
  'L’assistant n’a pas pu traiter cette demande. Commencez une nouvelle conversation ou décrivez autrement ce que vous souhaitez. Si cela ne suffit pas, les personnes qui s’occupent de l’assistant doivent y remédier.\u001e' +
  'L’élément demandé est introuvable[provider| chez {provider}|] : il a peut-être été déplacé ou supprimé. Vérifiez son orthographe ou demandez-le autrement.\u001e' +
  '\u001e' +
  'L’assistant n’a pas pu lire ou enregistrer un fichier dont il a besoin. {again} Si le problème persiste, les personnes qui s’occupent de l’assistant doivent y remédier.\u001e' +
  'L’assistant ne peut pas répondre pour le moment. Réessayer ne servira à rien tant que les personnes qui s’en occupent n’y auront pas remédié.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e' +
  'L’assistant ne peut pas répondre pour le moment. Réessayer ne servira à rien tant que les personnes qui s’en occupent n’y auront pas remédié.\u001e' +
  '\u001e' +
  '\u001e' +
  '\u001e';
